#include "fleet/health.h"

#include <gtest/gtest.h>

namespace berth::fleet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A machine with a clock; every check takes no time unless said.
class HealthTest : public ::testing::Test {
 protected:
  void check(CheckResult result, const std::string& what = "trouble") {
    machine_.on_check(result, what, now_);
  }
  // A check that waits five seconds for nothing.
  void unanswered(const std::string& what = "no answer") {
    const Instant started = now_;
    now_ += seconds(5);
    machine_.on_check(CheckResult::kUnanswered, what, started);
  }
  void counters(bool moved, std::uint32_t in_flight) {
    machine_.on_counters(moved, in_flight, "stuck", now_);
  }
  void bring_up() {
    check(CheckResult::kOk);
    machine_.on_discovered();
    ASSERT_EQ(health(), Health::kUp);
  }
  Health health() const { return machine_.state().health; }
  const std::string& why() const { return machine_.state().why; }

  Instant now_{seconds(1000)};
  HealthMachine machine_{HealthPolicy{}};
};

TEST_F(HealthTest, BeginsDownAndAFirstStartTakesOneGoodCheckAndDiscovery) {
  EXPECT_EQ(health(), Health::kDown);
  EXPECT_FALSE(machine_.wants_discovery());
  check(CheckResult::kOk);
  EXPECT_EQ(health(), Health::kDown);
  EXPECT_TRUE(machine_.wants_discovery());
  machine_.on_discovered();
  EXPECT_EQ(health(), Health::kUp);
  EXPECT_EQ(why(), "");
  EXPECT_FALSE(machine_.wants_discovery());
}

TEST_F(HealthTest, FailedDiscoveryKeepsItDownWithTheReason) {
  check(CheckResult::kOk);
  machine_.on_discovery_failed("answered 401", true);
  EXPECT_EQ(health(), Health::kDown);
  EXPECT_EQ(why(), "answered 401");
  EXPECT_TRUE(machine_.wants_discovery());
  check(CheckResult::kOk);
  EXPECT_EQ(why(), "answered 401");
  machine_.on_discovered();
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, RefusedIsDownAtOnce) {
  bring_up();
  check(CheckResult::kRefused, "refused");
  EXPECT_EQ(health(), Health::kDown);
  EXPECT_EQ(why(), "refused");
  EXPECT_FALSE(machine_.wants_discovery());
}

TEST_F(HealthTest, Status503IsDownAtOnce) {
  bring_up();
  check(CheckResult::kUnavailable, "answered 503");
  EXPECT_EQ(health(), Health::kDown);
  EXPECT_EQ(why(), "answered 503");
}

TEST_F(HealthTest, TheWayBackTakesTwoGoodChecksInARowAndDiscovery) {
  bring_up();
  check(CheckResult::kRefused);
  check(CheckResult::kOk);
  EXPECT_FALSE(machine_.wants_discovery());
  check(CheckResult::kRefused);
  check(CheckResult::kOk);
  EXPECT_FALSE(machine_.wants_discovery());
  EXPECT_EQ(health(), Health::kDown);
  check(CheckResult::kOk);
  EXPECT_TRUE(machine_.wants_discovery());
  EXPECT_EQ(health(), Health::kDown);
  machine_.on_discovered();
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, OneMissIsSuspectThreeAreDown) {
  bring_up();
  unanswered();
  EXPECT_EQ(health(), Health::kSuspect);
  EXPECT_EQ(why(), "no answer");
  check(CheckResult::kFailed, "reset");
  EXPECT_EQ(health(), Health::kSuspect);
  EXPECT_EQ(why(), "reset");
  unanswered("no answer again");
  EXPECT_EQ(health(), Health::kDown);
  EXPECT_EQ(why(), "no answer again");
}

TEST_F(HealthTest, FromSuspectTwoGoodChecksInARowLeadBack) {
  bring_up();
  unanswered();
  check(CheckResult::kOk);
  EXPECT_EQ(health(), Health::kSuspect);
  unanswered();
  check(CheckResult::kOk);
  EXPECT_EQ(health(), Health::kSuspect);
  check(CheckResult::kOk);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, GoodChecksBetweenMissesKeepItFromGoingDown) {
  bring_up();
  for (int i = 0; i < 10; ++i) {
    unanswered();
    unanswered();
    check(CheckResult::kOk);
    EXPECT_EQ(health(), Health::kSuspect);
  }
}

// ray-project/ray#54070, gonka-ai/gonka#1421: an engine at work may not answer /health for minutes.
TEST_F(HealthTest, UnansweredWhileTheCountersMoveIsBusyNotDead) {
  bring_up();
  for (int i = 0; i < 20; ++i) {
    const Instant started = now_;
    now_ += seconds(3);
    counters(true, 30);
    now_ += seconds(2);
    machine_.on_check(CheckResult::kUnanswered, "no answer", started);
    ASSERT_EQ(health(), Health::kUp);
  }
}

TEST_F(HealthTest, UnansweredWhileResponsesFlowIsBusyToo) {
  bring_up();
  const Instant started = now_;
  now_ += seconds(5);
  machine_.on_sign_of_life(now_);
  machine_.on_check(CheckResult::kUnanswered, "no answer", started);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, ProgressBeforeTheCheckBeganDoesNotCount) {
  bring_up();
  counters(true, 1);
  now_ += milliseconds(1);
  unanswered();
  EXPECT_EQ(health(), Health::kSuspect);
}

TEST_F(HealthTest, ABusyCheckIsNoGoodCheckEither) {
  bring_up();
  unanswered();
  const Instant started = now_;
  now_ += seconds(5);
  counters(true, 1);
  machine_.on_check(CheckResult::kUnanswered, "no answer", started);
  check(CheckResult::kOk);
  EXPECT_EQ(health(), Health::kSuspect);
  check(CheckResult::kOk);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, ProgressDoesNotExcuseARefusedConnection) {
  bring_up();
  counters(true, 1);
  check(CheckResult::kRefused);
  EXPECT_EQ(health(), Health::kDown);
}

// vllm-project/vllm#11996: /health answers 200 while the engine hangs.
TEST_F(HealthTest, RequestsInFlightAndNoCounterMovesForTwoMinutesIsSuspect) {
  bring_up();
  counters(true, 1);
  now_ += seconds(119);
  check(CheckResult::kOk);
  counters(false, 1);
  EXPECT_EQ(health(), Health::kUp);
  now_ += seconds(1);
  counters(false, 1);
  EXPECT_EQ(health(), Health::kSuspect);
  EXPECT_EQ(why(), "stuck");
  check(CheckResult::kOk);
  check(CheckResult::kOk);
  EXPECT_EQ(health(), Health::kSuspect);
  counters(true, 1);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, AnIdleEngineIsNotStuck) {
  bring_up();
  counters(true, 0);
  now_ += seconds(3600);
  counters(false, 0);
  EXPECT_EQ(health(), Health::kUp);
  // The clock starts with the first request, not with the last movement.
  counters(false, 1);
  now_ += seconds(119);
  counters(false, 1);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, BytesOfResponsesAreProgressToo) {
  bring_up();
  counters(false, 1);
  now_ += seconds(119);
  machine_.on_sign_of_life(now_);
  now_ += seconds(119);
  counters(false, 1);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, AStuckServerThatEverybodyLeftIsGivenAnotherChance) {
  bring_up();
  counters(false, 2);
  now_ += seconds(120);
  counters(false, 2);
  EXPECT_EQ(health(), Health::kSuspect);
  counters(false, 0);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, AMissWhileStuckStaysSuspectAfterTheCountersMoveAgain) {
  bring_up();
  counters(false, 1);
  now_ += seconds(120);
  counters(false, 1);
  unanswered();
  counters(true, 1);
  EXPECT_EQ(health(), Health::kSuspect);
  EXPECT_EQ(why(), "no answer");
  check(CheckResult::kOk);
  check(CheckResult::kOk);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(HealthTest, AServerInUseSurvivesAFailedListingUnlessItIsDefinite) {
  bring_up();
  machine_.on_discovery_failed("timed out", false);
  EXPECT_EQ(health(), Health::kUp);
  machine_.on_discovery_failed("answered 401", true);
  EXPECT_EQ(health(), Health::kDown);
  EXPECT_EQ(why(), "answered 401");
  EXPECT_TRUE(machine_.wants_discovery());
}

TEST_F(HealthTest, AFaultOfThisMachineSaysNothingOfTheServer) {
  check(CheckResult::kOurs, "too many open files");
  EXPECT_EQ(health(), Health::kDown);
  EXPECT_EQ(why(), "too many open files");
  bring_up();
  for (int i = 0; i < 10; ++i) check(CheckResult::kOurs, "too many open files");
  EXPECT_EQ(health(), Health::kUp);
}

}  // namespace
}  // namespace berth::fleet
