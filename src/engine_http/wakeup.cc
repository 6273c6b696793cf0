#include "engine_http/wakeup.h"

namespace berth::engine_http {

net::Task<void> Wakeup::wait() {
  timer_.expires_at(net::Timer::time_point::max());
  co_await timer_.async_wait(net::use_tuple);
}

net::Task<void> Wakeup::wait_for(Duration at_most) {
  timer_.expires_after(at_most);
  co_await timer_.async_wait(net::use_tuple);
}

}  // namespace berth::engine_http
