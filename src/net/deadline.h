// A deadline that can be moved: runs a callback, usually one that closes a stream, when it passes.
//
// Moving it later costs one store and no system call: the timer that is already set fires at the
// old time, sees the new one and sets itself again. So it can be re-armed before every read.
//
// Owner: the coroutine whose operations it bounds. Thread: that of the executor. The callback runs
// on the executor, at most once for each arming, and never after the Deadline was cancelled or
// destroyed; it may destroy the Deadline.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "net/types.h"

namespace berth::net {

class Deadline {
 public:
  Deadline(const Executor& executor, std::function<void()> on_expiry);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  // Arms it, or moves it when it is armed. Clears expired().
  void expires_at(Instant when);
  void expires_after(Duration wait);
  // Disarms it until the next arming.
  void cancel();
  // True once the callback has run, until the next arming.
  bool expired() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the timer's handler
};

}  // namespace berth::net
