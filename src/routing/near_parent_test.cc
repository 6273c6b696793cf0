// Subagents and forks start near their parent unless that replica is loaded.
#include "routing/near_parent.h"

#include <map>

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

RequestFacts fork_of(const std::string& session, const std::string& child) {
  RequestFacts facts = turn_of(child);
  facts.parent = key_of(session);
  facts.fork = true;
  return facts;
}

TEST(NearParent, ASubagentGoesToItsParentsHomeAndStaysThere) {
  Rig rig(4);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  const Dispatch agent = rig.turn(subagent_of("s", "a"));
  EXPECT_TRUE(went(agent, Outcome::kPlaced, Reason::kNearParent));
  EXPECT_EQ(*agent.replica, home);
  EXPECT_TRUE(went(rig.turn(subagent_of("s", "a")), Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 2u);
}

TEST(NearParent, ManyParallelSubagentsSpread) {
  Rig rig(4);
  rig.turn(turn_of("s"));
  std::map<ReplicaIndex, int> in_flight;
  for (int i = 0; i < 12; ++i) {
    ++in_flight[*rig.send(subagent_of("s", "a" + std::to_string(i))).replica];
  }
  for (ReplicaIndex i = 0; i < 4; ++i) {
    EXPECT_GE(in_flight[i], 2) << i;
    EXPECT_LE(in_flight[i], 5) << i;
  }
}

TEST(NearParent, ManySubagentsOneAfterAnotherDoNotPileUp) {
  Rig rig(4);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  int near = 0;
  for (int i = 0; i < 40; ++i) {
    near += *rig.turn(subagent_of("s", "a" + std::to_string(i))).replica == home ? 1 : 0;
  }
  EXPECT_GE(near, 4);
  EXPECT_LE(near, 24);
}

TEST(NearParent, NotAtAHomePastTheThreshold) {
  Settings settings;
  settings.overflow_threshold = 2;
  Rig rig(2, settings);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.busy("s", 3);
  const Dispatch fork = rig.turn(fork_of("s", "f"));
  EXPECT_TRUE(went(fork, Outcome::kPlaced, Reason::kNewConversation));
  EXPECT_NE(*fork.replica, home);
}

TEST(NearParent, AForkStaysWhereASubagentWouldNot) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.busy("s", 4);
  EXPECT_NE(*rig.turn(subagent_of("s", "a")).replica, home);
  EXPECT_EQ(*rig.turn(fork_of("s", "f")).replica, home);
}

TEST(NearParent, AForkGoesHomeAsItsParentWouldUpToTheThreshold) {
  Settings settings;
  settings.overflow_threshold = 3;
  Rig rig(2, settings);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.busy("s", 3);
  ASSERT_EQ(rig.replica(home).view.in_flight, 3u);
  const Dispatch at_the_threshold = rig.send(fork_of("s", "f"));
  EXPECT_TRUE(went(at_the_threshold, Outcome::kPlaced, Reason::kNearParent));
  EXPECT_EQ(*at_the_threshold.replica, home);
  EXPECT_NE(*rig.send(fork_of("s", "g")).replica, home);
}

TEST(NearParent, AForkGoesHomeHoweverManyResidentsAreThere) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.router.on_replica_state(1 - home, ReplicaState::kSuspect, rig.now());
  for (int i = 0; i < 30; ++i) rig.turn(turn_of("other" + std::to_string(i)));
  rig.router.on_replica_state(1 - home, ReplicaState::kUp, rig.now());
  EXPECT_NE(*rig.turn(subagent_of("s", "a")).replica, home);
  EXPECT_EQ(*rig.turn(fork_of("s", "f")).replica, home);
}

TEST(NearParent, NotAtAReplicaThatTakesNothingNew) {
  for (const ReplicaState state :
       {ReplicaState::kSuspect, ReplicaState::kDraining, ReplicaState::kDown}) {
    Rig rig(2);
    const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
    rig.router.on_replica_state(home, state, rig.now());
    EXPECT_NE(*rig.turn(subagent_of("s", "a")).replica, home) << replica_state_name(state);
  }
}

TEST(NearParent, FollowsTheParentToItsStandIn) {
  Rig rig(3);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  const ReplicaIndex stand_in = *rig.turn(turn_of("s")).replica;
  EXPECT_EQ(*rig.turn(subagent_of("s", "a")).replica, stand_in);
}

TEST(NearParent, AnUnknownParentIsNoHindrance) {
  Rig rig(2);
  EXPECT_TRUE(
      went(rig.turn(subagent_of("never-seen", "a")), Outcome::kPlaced, Reason::kNewConversation));
}

TEST(NearParent, TheParentNeverMovesBecauseOfItsChildren) {
  Rig rig(4);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  for (int i = 0; i < 20; ++i) rig.send(subagent_of("s", "a" + std::to_string(i)));
  EXPECT_EQ(rig.home_of("s"), home);
  EXPECT_TRUE(went(rig.send(turn_of("s")), Outcome::kSticky, Reason::kHome));
}

}  // namespace
}  // namespace berth::routing
