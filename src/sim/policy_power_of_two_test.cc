#include <gtest/gtest.h>

#include <set>

#include "sim/policy_test_rig.h"

namespace berth::sim {
namespace {

TEST(PowerOfTwo, OfTwoReplicasTheOneWithFewerInFlight) {
  PolicyRig rig("power-of-two", {.replicas = 2});
  const auto first = rig.session("a");
  // One against none, then one against one: whatever is drawn first, the counts decide in the end.
  EXPECT_NE(rig.session("b"), first);
  rig.session("c");
  rig.session("d");
  EXPECT_EQ(rig.in_flight(0), 2U);
  EXPECT_EQ(rig.in_flight(1), 2U);
}

TEST(PowerOfTwo, EqualCountsAreSpread) {
  std::set<PolicyRig::Where> seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    seen.insert(PolicyRig("power-of-two", {.replicas = 3, .seed = seed}).session("a"));
  }
  EXPECT_EQ(seen.size(), 3U);
}

TEST(PowerOfTwo, TheBusiestIsNeverChosenAndTheTwoAreDifferent) {
  PolicyRig rig("power-of-two", {.replicas = 3});
  rig.lose(1);
  rig.lose(2);
  for (int i = 0; i < 100; ++i) rig.session("x");
  rig.back(1);
  rig.back(2);
  for (int i = 0; i < 50; ++i) EXPECT_NE(rig.session("y"), PolicyRig::Where(0));
}

TEST(PowerOfTwo, OneReplicaLeftTakesAllAndNoneRefuses) {
  PolicyRig rig("power-of-two", {.replicas = 2});
  rig.lose(0);
  EXPECT_EQ(rig.session("a"), PolicyRig::Where(1));
  EXPECT_EQ(rig.session("a"), PolicyRig::Where(1));
  rig.lose(1);
  EXPECT_EQ(rig.session("a"), std::nullopt);
  EXPECT_FALSE(rig.was_held());
}

TEST(PowerOfTwo, ARefusedConnectionGoesToAnotherAndTakesTheReplicaOutUntilItIsBack) {
  PolicyRig rig("power-of-two", {.replicas = 2});
  const auto refused = rig.session("a");
  const auto other = rig.not_started(rig.last());
  EXPECT_NE(other, refused);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(rig.session("b"), other);
  rig.back(*refused);
  EXPECT_EQ(rig.session("c"), refused);
  // Nothing of the refused request is still counted there.
  EXPECT_EQ(rig.in_flight(*refused), 1U);
}

TEST(PowerOfTwo, TheSeedDecidesAlone) {
  const auto draws = [](std::uint64_t seed) {
    PolicyRig rig("power-of-two", {.replicas = 8, .seed = seed});
    std::vector<PolicyRig::Where> where;
    for (int i = 0; i < 40; ++i) where.push_back(rig.session("a"));
    return where;
  };
  EXPECT_EQ(draws(7), draws(7));
  EXPECT_NE(draws(7), draws(8));
}

}  // namespace
}  // namespace berth::sim
