// Saves the state on a thread of its own: putting a full table into a file and onto the disk takes
// seconds, and neither a health check nor a request may wait for that.
//
// Owned by the Gateway. request() and idle() may be called from any thread and never wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/result.h"

namespace berth::gateway {

class StateWriter {
 public:
  // `save` runs on the writer's thread, never twice at a time. What it fails with is logged.
  explicit StateWriter(std::function<Result<void>()> save);
  // Waits for the save under way; one that has not begun is dropped.
  ~StateWriter();
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;

  // Saves what is there from now on. Requests that come while a save is under way are one more save
  // after it.
  void request();
  // Nothing is under way or requested: all that was there at the last request() is written, or
  // could not be.
  bool idle() const;

 private:
  void run();

  const std::function<Result<void>()> save_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool requested_ = false;
  bool saving_ = false;
  bool ended_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace berth::gateway
