#include "net/name_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/error.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "net/resolve.h"
#include "net/run_task.h"

namespace berth::net {
namespace {

using std::chrono::seconds;

asio::ip::address address(const char* text) { return asio::ip::make_address(text); }

// A name service that answers what it is told to, or nothing until then. Shared with the cache's
// threads.
class Service {
 public:
  void say(const std::string& name, Addresses answer) {
    const std::lock_guard lock(mutex_);
    answers_[name].push_back(std::move(answer));
    changed_.notify_all();
  }
  Addresses ask(const std::string& name) {
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.wait(lock, [&] { return !answers_[name].empty(); });
    Addresses answer = answers_[name].front();
    answers_[name].pop_front();
    return answer;
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::deque<Addresses>> answers_;
  int asked_ = 0;
};

class NameCacheTest : public ::testing::Test {
 protected:
  ~NameCacheTest() override {  // lets hanging look-ups end
    for (const char* name : {"a", "b", "hangs"}) service_->say(name, {});
  }
  Resolved resolve_now(const std::string& name, Duration within = seconds(30),
                       Abort* abort = nullptr) {
    const auto deadline = std::chrono::steady_clock::now() + within;
    return run_task(io_, resolve(name, 80, deadline, abort, &names_));
  }

  asio::io_context io_;
  const std::shared_ptr<Service> service_ = std::make_shared<Service>();
  const std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  NameCache names_{[service = service_](const std::string& name) { return service->ask(name); },
                   clock_};
};

TEST_F(NameCacheTest, AnAnswerServesForAWhileAndIsThenAskedForAgain) {
  service_->say("a", {{}, {address("10.0.0.1")}});
  ASSERT_EQ(resolve_now("a").endpoints.at(0).address(), address("10.0.0.1"));
  clock_->advance(NameCache::kFresh - std::chrono::milliseconds(1));
  EXPECT_EQ(resolve_now("a").endpoints.at(0).address(), address("10.0.0.1"));
  EXPECT_EQ(service_->asked(), 1);
  clock_->advance(std::chrono::milliseconds(1));
  service_->say("a", {{}, {address("10.0.0.2"), address("10.0.0.3")}});
  const Resolved moved = resolve_now("a");
  ASSERT_EQ(moved.endpoints.size(), 2u);
  EXPECT_EQ(moved.endpoints[0], tcp::endpoint(address("10.0.0.2"), 80));
}

TEST_F(NameCacheTest, TheLastGoodAddressesOutliveANameServiceThatFails) {
  service_->say("a", {{}, {address("10.0.0.1")}});
  resolve_now("a");
  clock_->advance(NameCache::kFresh);
  service_->say("a", {asio::error::host_not_found_try_again, {}});
  const Resolved kept = resolve_now("a");
  EXPECT_FALSE(kept.error);
  ASSERT_EQ(kept.endpoints.size(), 1u);
  EXPECT_EQ(kept.endpoints[0].address(), address("10.0.0.1"));
}

TEST_F(NameCacheTest, OneThatNeverResolvedIsAnError) {
  service_->say("a", {asio::error::host_not_found, {}});
  const Resolved none = resolve_now("a");
  EXPECT_EQ(none.error, asio::error::host_not_found);
  EXPECT_TRUE(none.endpoints.empty());
}

TEST_F(NameCacheTest, AHangingNameServiceLeavesTheLastGoodAddresses) {
  service_->say("a", {{}, {address("10.0.0.1")}});
  resolve_now("a");
  clock_->advance(NameCache::kFresh);
  EXPECT_EQ(resolve_now("a").endpoints.at(0).address(), address("10.0.0.1"));
}

TEST_F(NameCacheTest, ANameThatHangsHoldsNobodyUp) {
  bool hung = false;
  const auto waiting = names_.look_up("hangs", [&](const Addresses&) { hung = true; });
  service_->say("b", {{}, {address("10.0.0.2")}});
  EXPECT_EQ(resolve_now("b").endpoints.size(), 1u);
  EXPECT_FALSE(hung);
}

TEST_F(NameCacheTest, ALookUpUnderWayIsJoined) {
  std::atomic<int> told = 0;
  const auto one = names_.look_up("a", [&](const Addresses&) { ++told; });
  const auto two = names_.look_up("a", [&](const Addresses&) { ++told; });
  service_->say("a", {{}, {address("10.0.0.1")}});
  resolve_now("a");
  while (told < 2) std::this_thread::yield();
  EXPECT_EQ(service_->asked(), 1);
}

TEST_F(NameCacheTest, WhoeverGaveUpIsNotTold) {
  std::atomic<bool> told = false;
  auto waiting = names_.look_up("a", [&](const Addresses&) { told = true; });
  waiting.cancel();
  service_->say("a", {{}, {address("10.0.0.1")}});
  resolve_now("a");
  EXPECT_FALSE(told);
}

TEST_F(NameCacheTest, AnAbortAndADeadlineEndTheWait) {
  EXPECT_EQ(resolve_now("hangs", -seconds(1)).error, asio::error::timed_out);
  Abort abort;
  std::optional<Resolved> resolved;
  const auto later = std::chrono::steady_clock::now() + seconds(300);
  asio::co_spawn(io_, store_result(resolve("hangs", 80, later, &abort, &names_), &resolved),
                 [](std::exception_ptr) {});
  io_.restart();
  io_.poll();
  ASSERT_FALSE(resolved);
  abort.abort();
  while (!resolved) io_.run_one();
  EXPECT_EQ(resolved->error, asio::error::operation_aborted);
}

TEST_F(NameCacheTest, AnEventLoopMayEndBeforeItsAnswerComes) {
  {
    asio::io_context short_lived;
    std::optional<Resolved> resolved;
    const auto later = std::chrono::steady_clock::now() + seconds(300);
    asio::co_spawn(short_lived,
                   store_result(resolve("hangs", 80, later, nullptr, &names_), &resolved),
                   [](std::exception_ptr) {});
    short_lived.poll();
  }
  service_->say("hangs", {{}, {address("10.0.0.1")}});
  service_->say("hangs", {{}, {address("10.0.0.1")}});
  EXPECT_EQ(resolve_now("hangs").endpoints.size(), 1u);
}

}  // namespace
}  // namespace berth::net
