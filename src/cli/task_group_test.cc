#include "cli/task_group.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <vector>

namespace berth::cli {
namespace {

net::Task<void> later(net::Executor executor, std::vector<int>* done, int number) {
  net::Timer timer(executor);
  timer.expires_after(std::chrono::milliseconds(number));
  co_await timer.async_wait(net::use_tuple);
  done->push_back(number);
}

net::Task<void> run_three(net::Executor executor, std::vector<int>* done) {
  TaskGroup group(executor);
  for (const int number : {3, 1, 2}) group.spawn(later(executor, done, number));
  co_await group.wait();
  done->push_back(0);
}

TEST(TaskGroup, WaitsForAll) {
  net::asio::io_context io(1);
  std::vector<int> done;
  net::asio::co_spawn(io.get_executor(), run_three(io.get_executor(), &done), net::asio::detached);
  io.run();
  ASSERT_EQ(done.size(), 4u);
  EXPECT_EQ(done.back(), 0);
}

net::Task<void> run_none(net::Executor executor, bool* ended) {
  TaskGroup group(executor);
  co_await group.wait();
  *ended = true;
}

TEST(TaskGroup, NothingToWaitForIsNoWait) {
  net::asio::io_context io(1);
  bool ended = false;
  net::asio::co_spawn(io.get_executor(), run_none(io.get_executor(), &ended), net::asio::detached);
  io.run();
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace berth::cli
