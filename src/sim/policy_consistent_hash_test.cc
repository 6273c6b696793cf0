#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "sim/policy_test_rig.h"
#include "sim/random.h"

namespace berth::sim {
namespace {

constexpr int kSessions = 2'000;

std::string name(int i) { return "session-" + std::to_string(i); }

std::vector<PolicyRig::Where> homes(PolicyRig& rig) {
  std::vector<PolicyRig::Where> all;
  for (int i = 0; i < kSessions; ++i) {
    all.push_back(rig.session(name(i)));
    rig.finish(rig.last());
  }
  return all;
}

TEST(ConsistentHash, ASessionStaysWhateverTheLoad) {
  PolicyRig rig("consistent-hash");
  const auto home = rig.session("a");
  for (int i = 0; i < 200; ++i) EXPECT_EQ(rig.session("a"), home);
}

TEST(ConsistentHash, SubagentsFollowTheirSession) {
  PolicyRig rig("consistent-hash");
  for (int i = 0; i < 20; ++i) {
    const auto home = rig.session(name(i));
    EXPECT_EQ(rig.session(name(i), "agent-1"), home);
    EXPECT_EQ(rig.session(name(i), "agent-2"), home);
  }
}

TEST(ConsistentHash, TextWithoutASessionGoesByTheText) {
  PolicyRig rig("consistent-hash");
  std::set<PolicyRig::Where> seen;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    const std::string text = std::string("shared") + letter;
    const auto where = rig.text(text);
    EXPECT_EQ(rig.text(text), where);
    seen.insert(where);
  }
  EXPECT_EQ(seen.size(), 4U);
}

TEST(ConsistentHash, ALossMovesOnlyTheLostSessionsAndTheyComeBack) {
  for (const char* policy : {"consistent-hash", "bounded-hash"}) {
    PolicyRig rig(policy);
    const auto before = homes(rig);
    rig.lose(2);
    const auto during = homes(rig);
    int moved = 0;
    for (int i = 0; i < kSessions; ++i) {
      if (before[i] == PolicyRig::Where(2)) {
        ++moved;
        EXPECT_NE(during[i], PolicyRig::Where(2));
      } else {
        EXPECT_EQ(during[i], before[i]) << policy << " " << i;
      }
    }
    EXPECT_NEAR(moved, kSessions / 4.0, 0.3 * kSessions / 4) << policy;
    rig.back(2);
    EXPECT_EQ(homes(rig), before) << policy;
  }
}

TEST(ConsistentHash, AnAddedReplicaTakesItsShareAndNothingElseMoves) {
  PolicyRig rig("consistent-hash");
  const auto before = homes(rig);
  rig.add(4);
  const auto after = homes(rig);
  int moved = 0;
  for (int i = 0; i < kSessions; ++i) {
    if (after[i] == before[i]) continue;
    ++moved;
    EXPECT_EQ(after[i], PolicyRig::Where(4));
  }
  EXPECT_NEAR(moved, kSessions / 5.0, 0.3 * kSessions / 5);
}

TEST(ConsistentHash, NobodyUpRefuses) {
  for (const char* policy : {"consistent-hash", "bounded-hash"}) {
    PolicyRig rig(policy, {.replicas = 1});
    rig.lose(0);
    EXPECT_EQ(rig.session("a"), std::nullopt) << policy;
    EXPECT_FALSE(rig.was_held());
  }
}

// One session on four replicas. With m requests counted, the m-th among them, a replica may hold
// ceil(1.25 m / 4): 1, 1, 1, 2 (5/4), 2, 2, 3 (35/16), ...
TEST(BoundedHash, TheBoundIsTheCeilingOfFiveFourthsOfTheMean) {
  PolicyRig rig("bounded-hash");
  const auto home = rig.session("a");
  const auto second = rig.session("a");
  EXPECT_NE(second, home);
  const auto third = rig.session("a");
  EXPECT_NE(third, home);
  EXPECT_NE(third, second);
  EXPECT_EQ(rig.session("a"), home);    // 4: one more fits at home
  EXPECT_EQ(rig.session("a"), second);  // 5: two at most
  EXPECT_EQ(rig.session("a"), third);   // 6
  EXPECT_EQ(rig.session("a"), home);    // 7: three at most
}

TEST(BoundedHash, HomeAgainAsSoonAsItHasRoom) {
  PolicyRig rig("bounded-hash");
  const auto home = rig.session("a");
  EXPECT_NE(rig.session("a"), home);
  rig.finish_all();
  EXPECT_EQ(rig.session("a"), home);
}

// A lost replica counts neither in the mean nor in the sum: of two left, 1 request may be
// ceil(1.25 / 2) = 1, of 2 ceil(2.5 / 2) = 2.
TEST(BoundedHash, OnlyReplicasThatAreUpCount) {
  PolicyRig rig("bounded-hash", {.replicas = 3});
  rig.lose(0);
  const auto home = rig.session("a");
  EXPECT_EQ(rig.session("a"), home);
  EXPECT_NE(rig.session("a"), home);  // ceil(3.75 / 2) = 2
}

TEST(BoundedHash, NeverMoreThanTheBoundInAnyOrderOfEvents) {
  Random random(11);
  PolicyRig rig("bounded-hash", {.replicas = 5});
  std::vector<bool> up(5, true);
  for (int step = 0; step < 20'000; ++step) {
    const double dice = random.unit();
    if (dice < 0.01) {
      const auto i = static_cast<routing::ReplicaIndex>(random.below(5));
      up[i] = !up[i];
      if (up[i]) rig.back(i);
      if (up[i]) continue;
      rig.lose(i);
      const auto open = rig.open();
      for (const auto& [id, where] : open) {
        if (where == i) rig.gone(id);
      }
    } else if (dice < 0.5 && !rig.open().empty()) {
      rig.finish(std::next(rig.open().begin(),
                           static_cast<std::ptrdiff_t>(random.below(rig.open().size())))
                     ->first);
    } else {
      const auto where = rig.session(name(static_cast<int>(random.below(6))));
      const auto replicas = static_cast<std::size_t>(std::count(up.begin(), up.end(), true));
      ASSERT_EQ(where.has_value(), replicas > 0);
      if (!where) continue;
      const std::size_t bound = (5 * rig.open().size() + 4 * replicas - 1) / (4 * replicas);
      ASSERT_LE(rig.in_flight(*where), bound) << step;
    }
  }
}

}  // namespace
}  // namespace berth::sim
