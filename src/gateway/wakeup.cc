#include "gateway/wakeup.h"

namespace berth::gateway {

net::Task<bool> Wakeup::wait_until(Instant deadline) {
  if (!notified_) {
    timer_.expires_at(deadline);
    co_await timer_.async_wait(net::use_tuple);
  }
  const bool notified = notified_;
  notified_ = false;
  co_return notified;
}

void Wakeup::notify() {
  notified_ = true;
  timer_.cancel();
}

}  // namespace berth::gateway
