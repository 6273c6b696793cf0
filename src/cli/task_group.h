// Runs coroutines side by side and waits until all have ended.
//
// Owner: the coroutine that waits. Thread: its executor. Must outlive its tasks, so wait() before
// it goes.
#pragma once

#include <cstddef>
#include <exception>

#include "net/types.h"

namespace berth::cli {

class TaskGroup {
 public:
  explicit TaskGroup(const net::Executor& executor);
  void spawn(net::Task<void> task);
  net::Task<void> wait();

 private:
  void on_end(const std::exception_ptr& error);

  net::Executor executor_;
  net::Timer all_ended_;  // never expires; cancelled by the last task
  std::size_t running_ = 0;
};

}  // namespace berth::cli
