#include "sim/statistics.h"

#include <gtest/gtest.h>

namespace berth::sim {
namespace {

TEST(Percentile, InterpolatesBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(percentile({10, 20, 30, 40, 50}, 0.95), 48);
  EXPECT_DOUBLE_EQ(percentile({7}, 0.95), 7);
  EXPECT_DOUBLE_EQ(percentile({}, 0.5), 0);
}

TEST(SurvivalPercentile, WithoutCutOffWaitsItIsTheOrderStatistic) {
  // Still waiting after each: 0.8, 0.6, 0.4, 0.2, 0.
  const std::vector<Wait> waits = {{5}, {1}, {4}, {2}, {3}};
  EXPECT_DOUBLE_EQ(survival_percentile(waits, 0.5), 3);
  EXPECT_DOUBLE_EQ(survival_percentile(waits, 0.6), 3);
  EXPECT_DOUBLE_EQ(survival_percentile(waits, 0.61), 4);
  EXPECT_DOUBLE_EQ(survival_percentile(waits, 0.95), 5);
}

// By hand: at risk 5, 4, 3, 2, 1. Ended at 1 (4/5), cut off at 2, ended at 3 (x 2/3 = 8/15), cut
// off at 4, ended at 5 (x 0 = 0).
TEST(SurvivalPercentile, CutOffWaitsCountAsLongerThanSeen) {
  const std::vector<Wait> waits = {{1, true}, {2, false}, {3, true}, {4, false}, {5, true}};
  EXPECT_DOUBLE_EQ(survival_percentile(waits, 0.2), 1);
  EXPECT_DOUBLE_EQ(survival_percentile(waits, 0.46), 3);
  EXPECT_DOUBLE_EQ(survival_percentile(waits, 0.5), 5);
}

// The textbook's leukaemia example (Freireich and others 1963, the 6-MP arm): the median is 23.
TEST(SurvivalPercentile, AgreesWithAPublishedExample) {
  const std::vector<Wait> waits = {
      {6},         {6},         {6},         {6, false},  {7},         {9, false},  {10},
      {10, false}, {11, false}, {13},        {16},        {17, false}, {19, false}, {20, false},
      {22},        {23},        {25, false}, {32, false}, {32, false}, {34, false}, {35, false}};
  EXPECT_DOUBLE_EQ(survival_percentile(waits, 0.5), 23);
}

TEST(SurvivalPercentile, ACurveThatNeverFallsFarEnoughGivesTheLongestTimeSeen) {
  EXPECT_DOUBLE_EQ(survival_percentile({{1, true}, {9, false}, {9, false}}, 0.95), 9);
  EXPECT_DOUBLE_EQ(survival_percentile({}, 0.95), 0);
}

TEST(Spread, IsThatOfASample) {
  EXPECT_DOUBLE_EQ(mean({2, 4, 9}), 5);
  EXPECT_DOUBLE_EQ(deviation({2, 4, 9}), 3.605551275463989);
  EXPECT_DOUBLE_EQ(deviation({2}), 0);
  EXPECT_DOUBLE_EQ(mean({}), 0);
}

}  // namespace
}  // namespace berth::sim
