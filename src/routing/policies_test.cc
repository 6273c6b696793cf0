// The policies for comparison: session-hash, round-robin, least-loaded.
#include <map>

#include "routing/session_hash.h"
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

Settings with_policy(Policy policy) {
  Settings settings;
  settings.policy = policy;
  return settings;
}

TEST(SessionHash, IsBlindToLoadAndSticks) {
  Rig rig(4, with_policy(Policy::kSessionHash));
  const Dispatch first = rig.turn(turn_of("s"));
  EXPECT_TRUE(went(first, Outcome::kPlaced, Reason::kPolicy));
  for (int i = 0; i < 50; ++i) {
    const Dispatch next = rig.send(turn_of("s"));
    EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kPolicy));
    EXPECT_EQ(next.replica, first.replica);
  }
}

// Side requests and children go where the conversation lives: home again, once a turn went there.
TEST(SessionHash, ATurnThatFailedToStartLeavesNoStandIn) {
  Rig rig(3, with_policy(Policy::kSessionHash));
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  const Dispatch failed = rig.send(turn_of("s"));
  const auto retried = std::get<Dispatch>(rig.router.on_not_started(failed.ticket, rig.now()));
  ASSERT_NE(*retried.replica, home);
  rig.finish(retried);
  EXPECT_EQ(*rig.turn(turn_of("s")).replica, home);
  EXPECT_FALSE(rig.router.explain("s", rig.now()).front().stand_in);
  RequestFacts count = turn_of("s");
  count.kind = RequestKind::kSide;
  count.prefer_home = true;
  EXPECT_EQ(*rig.turn(count).replica, home);
}

TEST(SessionHash, OnlyConversationsOfALostReplicaGoElsewhereAndComeBack) {
  Rig rig(4, with_policy(Policy::kSessionHash));
  std::map<std::string, ReplicaIndex> homes;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "s" + std::to_string(i);
    homes[name] = *rig.turn(turn_of(name)).replica;
  }
  rig.router.on_replica_state(2, ReplicaState::kDown, rig.now());
  for (const auto& [name, home] : homes) {
    const Dispatch next = rig.turn(turn_of(name));
    EXPECT_EQ(next.outcome, home == 2 ? Outcome::kFailover : Outcome::kSticky);
    EXPECT_EQ(*next.replica == home, home != 2);
  }
  rig.router.on_replica_state(2, ReplicaState::kUp, rig.now());
  for (const auto& [name, home] : homes) {
    const Dispatch next = rig.turn(turn_of(name));
    EXPECT_EQ(next.outcome, Outcome::kSticky);
    EXPECT_EQ(*next.replica, home);
  }
}

TEST(SessionHash, AJoiningReplicaTakesOnlyWhatItWins) {
  Rig rig(3, with_policy(Policy::kSessionHash));
  std::map<std::string, ReplicaIndex> homes;
  for (int i = 0; i < 80; ++i) {
    const std::string name = "s" + std::to_string(i);
    homes[name] = *rig.turn(turn_of(name)).replica;
  }
  const ReplicaIndex joined = rig.add_server();
  int moved = 0;
  for (const auto& [name, home] : homes) {
    const Dispatch next = rig.turn(turn_of(name));
    if (*next.replica == home) continue;
    EXPECT_EQ(*next.replica, joined);
    EXPECT_TRUE(went(next, Outcome::kMoved, Reason::kPolicy));
    ++moved;
  }
  EXPECT_GE(moved, 8);
  EXPECT_LE(moved, 32);
}

TEST(RoundRobin, TakesTheReplicasInTurn) {
  Rig rig(3, with_policy(Policy::kRoundRobin));
  std::vector<int> sent(3);
  for (int i = 0; i < 30; ++i) {
    const Dispatch next = rig.turn(turn_of("s"));
    EXPECT_TRUE(went(next, Outcome::kUnbound, Reason::kPolicy));
    ++sent.at(*next.replica);
  }
  EXPECT_EQ(sent, (std::vector<int>{10, 10, 10}));
}

TEST(LeastLoadedPolicy, TakesTheFewestInFlight) {
  Rig rig(3, with_policy(Policy::kLeastLoaded));
  std::vector<Dispatch> open;
  for (int i = 0; i < 9; ++i) open.push_back(rig.send(turn_of("s")));
  for (ReplicaIndex i = 0; i < 3; ++i) EXPECT_EQ(rig.replica(i).view.in_flight, 3u);
  rig.finish(open[4]);
  EXPECT_EQ(rig.send(turn_of("s")).replica, open[4].replica);
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 0u);
}

TEST(Policies, NoneSendsToAReplicaThatIsDown) {
  for (const Policy policy : {Policy::kSessionHash, Policy::kRoundRobin, Policy::kLeastLoaded}) {
    Rig rig(2, with_policy(policy));
    rig.router.on_replica_state(0, ReplicaState::kDown, rig.now());
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(*rig.turn(turn_of("s" + std::to_string(i))).replica, 1u) << policy_name(policy);
    }
    rig.router.on_replica_state(1, ReplicaState::kDown, rig.now());
    EXPECT_TRUE(std::holds_alternative<Refused>(rig.ask(turn_of("s")))) << policy_name(policy);
  }
}

TEST(Policies, CanBeChangedAtRunTime) {
  Rig rig(3, with_policy(Policy::kRoundRobin));
  rig.turn(turn_of("s"));
  rig.router.on_config(with_policy(Policy::kSticky), rig.now());
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kPlaced);
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kSticky);
}

}  // namespace
}  // namespace berth::routing
