#include "gateway/state_writer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>

#include "observe/log.h"

namespace berth::gateway {
namespace {

// A save that lasts until the test lets it end.
class SlowSave {
 public:
  std::function<Result<void>()> function() {
    return [this]() -> Result<void> {
      thread_ = std::this_thread::get_id();
      begun_.release();
      go_.acquire();
      ++saved_;
      return {};
    };
  }
  void wait_until_begun() { begun_.acquire(); }
  void let_one_end() { go_.release(); }
  int saved() const { return saved_; }
  std::thread::id thread() const { return thread_; }

 private:
  // std::counting_semaphore of gcc 12 may miss a wake-up (PR 104928), so a plain one.
  class Semaphore {
   public:
    void release() {
      const std::lock_guard lock(mutex_);
      ++count_;
      changed_.notify_all();
    }
    void acquire() {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return count_ > 0; });
      --count_;
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
  };
  Semaphore begun_;
  Semaphore go_;
  std::atomic<int> saved_{0};
  std::atomic<std::thread::id> thread_;
};

void wait_until_idle(const StateWriter& writer) {
  while (!writer.idle()) std::this_thread::yield();
}

TEST(StateWriter, WhoAsksDoesNotWait) {
  SlowSave save;
  StateWriter writer(save.function());
  EXPECT_TRUE(writer.idle());
  writer.request();
  save.wait_until_begun();
  EXPECT_FALSE(writer.idle());
  EXPECT_EQ(save.saved(), 0);
  EXPECT_NE(save.thread(), std::this_thread::get_id());
  save.let_one_end();
  wait_until_idle(writer);
  EXPECT_EQ(save.saved(), 1);
}

TEST(StateWriter, RequestsDuringASaveAreOneMoreAfterIt) {
  SlowSave save;
  StateWriter writer(save.function());
  writer.request();
  save.wait_until_begun();
  for (int i = 0; i < 5; ++i) writer.request();
  save.let_one_end();
  save.wait_until_begun();
  EXPECT_EQ(save.saved(), 1);
  EXPECT_FALSE(writer.idle());
  save.let_one_end();
  wait_until_idle(writer);
  EXPECT_EQ(save.saved(), 2);
}

TEST(StateWriter, ItsEndWaitsForTheSaveUnderWayOnly) {
  SlowSave save;
  std::optional<StateWriter> writer(std::in_place, save.function());
  writer->request();
  save.wait_until_begun();
  writer->request();
  std::future<void> ended = std::async(std::launch::async, [&] { writer.reset(); });
  save.let_one_end();
  // Whether the second has begun depends on which of the two threads came first; it may not hang.
  save.let_one_end();
  ended.get();
  EXPECT_GE(save.saved(), 1);
}

TEST(StateWriter, AFailedSaveIsNotTheLast) {
  observe::set_log_level(observe::LogLevel::kOff);
  std::atomic<int> tries{0};
  StateWriter writer([&]() -> Result<void> {
    ++tries;
    return fail(ErrorCode::kIo, "no room");
  });
  writer.request();
  wait_until_idle(writer);
  writer.request();
  wait_until_idle(writer);
  EXPECT_EQ(tries, 2);
}

}  // namespace
}  // namespace berth::gateway
