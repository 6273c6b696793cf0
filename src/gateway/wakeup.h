// Lets one coroutine wait for "something happened, or this instant passed", where what happens is
// reported by callbacks on the same thread: a read that ended, a client that left.
#pragma once

#include "base/clock.h"
#include "net/types.h"

namespace berth::gateway {

// One waiter at a time. A notify() before the wait is not lost.
class Wakeup {
 public:
  explicit Wakeup(net::Executor executor) : timer_(executor) {}

  // True: notified. False: `deadline` passed first.
  net::Task<bool> wait_until(Instant deadline);
  void notify();

 private:
  net::Timer timer_;
  bool notified_ = false;
};

}  // namespace berth::gateway
