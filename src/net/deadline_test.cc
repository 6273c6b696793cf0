#include "net/deadline.h"

#include <gtest/gtest.h>

#include <optional>

#include "net/run_task.h"

namespace berth::net {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class DeadlineTest : public ::testing::Test {
 protected:
  void run_until(const bool& condition) {
    io_.restart();
    while (!condition) ASSERT_GT(io_.run_one(), 0u) << "nothing left to run";
  }
  // Runs for a while in which a timer of `wait` must have come up.
  void let_pass(milliseconds wait) {
    Timer timer(io_.get_executor());
    bool passed = false;
    timer.expires_after(wait);
    timer.async_wait([&passed](error_code) { passed = true; });
    run_until(passed);
  }
  asio::io_context io_{1};
};

TEST_F(DeadlineTest, RunsTheCallbackOnce) {
  int calls = 0;
  bool called = false;
  Deadline deadline(io_.get_executor(), [&] { called = true, ++calls; });
  deadline.expires_after(milliseconds(1));
  EXPECT_FALSE(deadline.expired());
  run_until(called);
  EXPECT_TRUE(deadline.expired());
  let_pass(milliseconds(5));
  EXPECT_EQ(calls, 1);
}

TEST_F(DeadlineTest, MayBeMovedLater) {
  bool called = false;
  Deadline deadline(io_.get_executor(), [&] { called = true; });
  deadline.expires_after(milliseconds(1));
  deadline.expires_after(hours(1));
  let_pass(milliseconds(10));
  EXPECT_FALSE(called);
  EXPECT_FALSE(deadline.expired());
}

TEST_F(DeadlineTest, MayBeMovedEarlier) {
  bool called = false;
  Deadline deadline(io_.get_executor(), [&] { called = true; });
  deadline.expires_after(hours(1));
  deadline.expires_after(milliseconds(1));
  run_until(called);
}

TEST_F(DeadlineTest, MovedLaterItStillComes) {
  bool called = false;
  Deadline deadline(io_.get_executor(), [&] { called = true; });
  deadline.expires_after(milliseconds(1));
  deadline.expires_after(milliseconds(5));
  run_until(called);
}

TEST_F(DeadlineTest, ACancelledOneDoesNotComeAndMayBeArmedAgain) {
  bool called = false;
  Deadline deadline(io_.get_executor(), [&] { called = true; });
  deadline.expires_after(milliseconds(1));
  deadline.cancel();
  let_pass(milliseconds(10));
  EXPECT_FALSE(called);
  deadline.expires_after(milliseconds(1));
  run_until(called);
  EXPECT_TRUE(deadline.expired());
  deadline.expires_after(hours(1));
  EXPECT_FALSE(deadline.expired());
}

TEST_F(DeadlineTest, ADestroyedOneDoesNotCome) {
  bool called = false;
  {
    Deadline deadline(io_.get_executor(), [&] { called = true; });
    deadline.expires_after(milliseconds(0));
  }
  let_pass(milliseconds(5));
  EXPECT_FALSE(called);
}

TEST_F(DeadlineTest, TheCallbackMayDestroyItOrArmItAgain) {
  bool called = false;
  std::optional<Deadline> first;
  first.emplace(io_.get_executor(), [&] {
    called = true;
    first.reset();
  });
  first->expires_after(milliseconds(1));
  run_until(called);
  EXPECT_FALSE(first);

  int rounds = 0;
  bool thrice = false;
  std::optional<Deadline> second;
  second.emplace(io_.get_executor(), [&] {
    thrice = ++rounds == 3;
    if (!thrice) second->expires_after(milliseconds(1));
  });
  second->expires_after(milliseconds(1));
  run_until(thrice);
}

}  // namespace
}  // namespace berth::net
