#include "fleet/rank_progress.h"

#include <gtest/gtest.h>

namespace berth::fleet {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class RankProgressTest : public ::testing::Test {
 protected:
  void page(bool moved, std::uint32_t in_flight, bool idle = false) {
    rank_.on_page({moved, idle, in_flight}, now_);
  }
  void page_without() { rank_.on_page_without(now_); }
  Health health() const { return rank_.state().health; }
  const std::string& why() const { return rank_.state().why; }
  void go_down() {
    page(true, 2);
    now_ += seconds(120);
    page(false, 2);
    ASSERT_EQ(health(), Health::kDown);
  }

  Instant now_{seconds(1000)};
  RankProgress rank_{ProgressPolicy{}};
};

TEST_F(RankProgressTest, QuietWithRequestsInFlightIsSuspectAfterAMinuteAndDownAfterTwo) {
  page(true, 1);
  now_ += seconds(59);
  page(false, 1);
  EXPECT_EQ(health(), Health::kUp);
  now_ += seconds(1);
  page(false, 1);
  EXPECT_EQ(health(), Health::kSuspect);
  EXPECT_EQ(why(), "requests are in flight and nothing of its metrics has moved for 60 s");
  now_ += seconds(59);
  page(false, 1);
  EXPECT_EQ(health(), Health::kSuspect);
  now_ += seconds(1);
  page(false, 1);
  EXPECT_EQ(health(), Health::kDown);
  EXPECT_EQ(why(), "requests are in flight and nothing of its metrics has moved for 120 s");
}

TEST_F(RankProgressTest, AnIdleRankIsNotStuckAndItsClockStartsWithTheFirstRequest) {
  page(true, 0);
  now_ += minutes(60);
  page(false, 0);
  page(false, 1);
  now_ += seconds(59);
  page(false, 1);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(RankProgressTest, AClientThatReadsSlowlyIsNoFaultOfAnEngineThatIsDone) {
  page(true, 1);
  now_ += seconds(1);
  page(true, 1, true);
  now_ += minutes(10);
  page(false, 1, true);
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(RankProgressTest, AnEngineThatHangsBeforeItTakesTheRequestUpIsNotDone) {
  page(true, 0, true);
  now_ += seconds(1);
  page(false, 1, true);
  now_ += seconds(120);
  page(false, 1, true);
  EXPECT_EQ(health(), Health::kDown);
}

TEST_F(RankProgressTest, AnyMovementBringsItBack) {
  go_down();
  page(true, 2);
  EXPECT_EQ(health(), Health::kUp);
  EXPECT_EQ(why(), "");
}

// The requests give up one by one; that proves nothing for the engine.
TEST_F(RankProgressTest, WhatEverybodyLeftStaysDownAndGetsAnotherChanceLater) {
  go_down();
  page(false, 0);
  now_ += minutes(10) - seconds(1);
  page(false, 0);
  EXPECT_EQ(health(), Health::kDown);
  now_ += seconds(1);
  page(false, 0);
  EXPECT_EQ(health(), Health::kUp);
  page(false, 1);
  EXPECT_EQ(health(), Health::kUp);
  now_ += seconds(60);
  page(false, 1);
  EXPECT_EQ(health(), Health::kSuspect);
}

TEST_F(RankProgressTest, DownDoesNotBecomeSuspectByANewRequest) {
  go_down();
  page(false, 0);
  now_ += seconds(10);
  page(false, 1);
  now_ += seconds(70);
  page(false, 1);
  EXPECT_EQ(health(), Health::kDown);
}

TEST_F(RankProgressTest, MissingOnOnePageIsNothing) {
  page_without();
  page_without();
  EXPECT_EQ(health(), Health::kUp);
  page(false, 0);
  page_without();
  page_without();
  EXPECT_EQ(health(), Health::kUp);
}

TEST_F(RankProgressTest, MissingPageAfterPageIsSuspectThenDownUntilItIsShownAgain) {
  page_without();
  page_without();
  page_without();
  EXPECT_EQ(health(), Health::kSuspect);
  EXPECT_EQ(why(), "its server's metrics do not show it any more");
  now_ += seconds(120);
  page_without();
  EXPECT_EQ(health(), Health::kDown);
  page(false, 0);
  EXPECT_EQ(health(), Health::kUp);
}

}  // namespace
}  // namespace berth::fleet
