// Lets one coroutine wait until something happens elsewhere on its thread.
#pragma once

#include "base/clock.h"
#include "net/types.h"

namespace berth::engine_http {

// Owner: the waiting coroutine's frame. A wake() without a waiter is not kept: check the condition
// before each wait, on the same thread.
class Wakeup {
 public:
  explicit Wakeup(net::Executor executor) : timer_(executor) {}
  // Until wake().
  net::Task<void> wait();
  // Until wake() or for that long.
  net::Task<void> wait_for(Duration at_most);
  void wake() { timer_.cancel(); }

 private:
  net::Timer timer_;
};

}  // namespace berth::engine_http
