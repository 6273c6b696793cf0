// The watch of a server whose ranks hang or vanish one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/watch_fixture.h"

namespace berth::fleet {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using RankWatchTest = FleetTest;

TEST_F(RankWatchTest, ARankThatHangsWhileTheOthersGoOnIsSuspectThenDownUntilItMoves) {
  timings_.stuck_after = milliseconds(40);
  server_.ranks = 4;
  server_.work_a_scrape = 1;
  watch_until_up();
  server_.hung = {2};
  ASSERT_TRUE(rounds("/metrics", 20));
  EXPECT_TRUE(heard_.rank_states.empty()) << "nothing is in flight there";
  heard_.requests = 1;
  heard_.busy_rank = 2;
  ASSERT_TRUE(until([this] { return heard_.rank_health("m#2") == Health::kSuspect; }));
  ASSERT_TRUE(until([this] { return heard_.rank_health("m#2") == Health::kDown; }));
  EXPECT_THAT(heard_.rank_states.at("m#2").why, HasSubstr("nothing of its metrics has moved"));
  EXPECT_EQ(heard_.rank_states.size(), 1u);
  EXPECT_EQ(heard_.current, Health::kUp) << "the server itself is well";
  server_.hung.clear();
  ASSERT_TRUE(until([this] { return heard_.rank_health("m#2") == Health::kUp; }));
}

TEST_F(RankWatchTest, APageThatStandsStillWhileTokensComeBlamesNoRank) {
  timings_.stuck_after = milliseconds(20);
  server_.ranks = 2;
  heard_.requests = 1;
  heard_.busy_rank = 1;
  heard_.bytes_a_look = 100;
  watch_until_up();
  ASSERT_TRUE(rounds("/metrics", 40));
  EXPECT_TRUE(heard_.rank_states.empty());
}

TEST_F(RankWatchTest, ARankMissingInTheMiddleIsSuspectAndTheOthersKeepTheirNumbers) {
  server_.ranks = 4;
  watch_until_up();
  server_.missing = {0, 2};
  ASSERT_TRUE(until([this] { return heard_.rank_health("m#2") == Health::kSuspect; }));
  EXPECT_EQ(heard_.rank_health("m#0"), Health::kSuspect);
  EXPECT_THAT(heard_.missing, ElementsAre("m#0", "m#2"));
  EXPECT_EQ(heard_.scrapes.back()[0].rank, 1u);
  ASSERT_TRUE(rounds("/metrics", 12));
  EXPECT_EQ(heard_.discovered.size(), 1u);
  server_.missing.clear();
  ASSERT_TRUE(until([this] { return heard_.rank_health("m#2") == Health::kUp; }));
}

}  // namespace
}  // namespace berth::fleet
