#include "observe/log_reaper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace berth::observe {
namespace {

// A log whose end waits for the test.
class SlowLog final : public AccessLog {
 public:
  SlowLog(std::shared_future<void> may_end, std::atomic<std::thread::id>& ended_on)
      : may_end_(std::move(may_end)), ended_on_(ended_on) {}
  ~SlowLog() override {
    may_end_.wait();
    ended_on_ = std::this_thread::get_id();
  }
  void write(AccessRecord) override {}
  std::uint64_t dropped() const override { return 0; }
  Result<void> reopen() override { return {}; }

 private:
  std::shared_future<void> may_end_;
  std::atomic<std::thread::id>& ended_on_;
};

// Were the log ended where its last user is, reset() would never return.
TEST(LogReaper, WhoeverLetsGoOfALogDoesNotWaitForItsEnd) {
  std::promise<void> may_end;
  const std::shared_future<void> open = may_end.get_future().share();
  std::atomic<std::thread::id> first{};
  std::atomic<std::thread::id> second{};
  {
    LogReaper reaper;
    auto log = reaper.adopt(std::make_unique<SlowLog>(open, first));
    const auto user = log;
    log.reset();
    log = reaper.adopt(std::make_unique<SlowLog>(open, second));
    log.reset();
    EXPECT_EQ(first.load(), std::thread::id()) << "it is still in use";
    may_end.set_value();
  }
  EXPECT_NE(second.load(), std::thread::id()) << "the reaper's end waits for it";
  EXPECT_NE(second.load(), std::this_thread::get_id());
}

TEST(LogReaper, EndsALogThatIsLetGoOfOnAnotherThread) {
  std::promise<void> may_end;
  std::atomic<std::thread::id> ended_on{};
  {
    LogReaper reaper;
    auto log = reaper.adopt(std::make_unique<SlowLog>(may_end.get_future().share(), ended_on));
    std::thread worker([user = std::move(log)]() mutable { user.reset(); });
    worker.join();
    may_end.set_value();
  }
  EXPECT_NE(ended_on.load(), std::thread::id());
}

}  // namespace
}  // namespace berth::observe
