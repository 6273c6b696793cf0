#include "fleet/counter_track.h"

#include <gtest/gtest.h>

#include <cmath>

namespace berth::fleet {
namespace {

TEST(CounterTrack, FollowsTheEngine) {
  CounterTrack track;
  EXPECT_EQ(track.value(), 0u);
  EXPECT_FALSE(track.update(5));
  EXPECT_FALSE(track.update(5));
  EXPECT_FALSE(track.update(12));
  EXPECT_EQ(track.value(), 12u);
}

TEST(CounterTrack, KeepsWhatWasCountedBeforeEachRestart) {
  CounterTrack track;
  track.update(100);
  EXPECT_TRUE(track.update(0));
  EXPECT_EQ(track.value(), 100u);
  EXPECT_FALSE(track.update(7));
  EXPECT_EQ(track.value(), 107u);
  EXPECT_TRUE(track.update(3));
  EXPECT_EQ(track.value(), 110u);
}

TEST(CounterTrack, AMissingOrBrokenValueChangesNothing) {
  CounterTrack track;
  track.update(100);
  EXPECT_FALSE(track.update(std::nullopt));
  EXPECT_FALSE(track.update(std::nan("")));
  EXPECT_FALSE(track.update(-1));
  EXPECT_FALSE(track.update(INFINITY));
  EXPECT_FALSE(track.update(1e300));
  EXPECT_EQ(track.value(), 100u);
  EXPECT_FALSE(track.update(101));
  EXPECT_EQ(track.value(), 101u);
}

TEST(CounterTrack, LargeCountsStayExact) {
  CounterTrack track;
  track.update(9007199254740991.0);
  EXPECT_EQ(track.value(), 9007199254740991u);
}

}  // namespace
}  // namespace berth::fleet
