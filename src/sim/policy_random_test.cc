#include <gtest/gtest.h>

#include "sim/policy_test_rig.h"

namespace berth::sim {
namespace {

// 4,000 draws: 1,000 each, give or take four standard deviations of 27.
TEST(Random, EveryReplicaThatIsUpTakesItsShare) {
  PolicyRig rig("random");
  for (int i = 0; i < 4'000; ++i) rig.session("a");
  for (routing::ReplicaIndex i = 0; i < 4; ++i) EXPECT_NEAR(rig.in_flight(i), 1'000, 110);
  rig.lose(1);
  for (int i = 0; i < 3'000; ++i) rig.session("a");
  for (const routing::ReplicaIndex i : {0U, 2U, 3U}) EXPECT_NEAR(rig.in_flight(i), 2'000, 200);
  EXPECT_NEAR(rig.in_flight(1), 1'000, 110);
}

TEST(Random, NobodyUpRefuses) {
  PolicyRig rig("random", {.replicas = 1});
  rig.lose(0);
  EXPECT_EQ(rig.session("a"), std::nullopt);
}

}  // namespace
}  // namespace berth::sim
