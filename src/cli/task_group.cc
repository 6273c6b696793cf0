#include "cli/task_group.h"

#include <boost/asio/co_spawn.hpp>
#include <utility>

#include "base/check.h"

namespace berth::cli {

TaskGroup::TaskGroup(const net::Executor& executor) : executor_(executor), all_ended_(executor) {
  all_ended_.expires_at(net::Timer::time_point::max());
}

void TaskGroup::spawn(net::Task<void> task) {
  ++running_;
  net::asio::co_spawn(executor_, std::move(task),
                      [this](const std::exception_ptr& error) { on_end(error); });
}

void TaskGroup::on_end(const std::exception_ptr& error) {
  BERTH_CHECK(error == nullptr);
  if (--running_ == 0) all_ended_.cancel();
}

net::Task<void> TaskGroup::wait() {
  while (running_ > 0) co_await all_ended_.async_wait(net::use_tuple);
}

}  // namespace berth::cli
