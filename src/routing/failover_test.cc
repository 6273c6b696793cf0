// Homes that are down, suspect, draining or gone.
#include "routing/failover.h"

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

TEST(Failover, AStandInServesWhileHomeIsDownAndIsKept) {
  Rig rig(4);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  const Dispatch first = rig.turn(turn_of("s"));
  EXPECT_TRUE(went(first, Outcome::kFailover, Reason::kHomeDown));
  EXPECT_NE(*first.replica, home);
  for (int i = 0; i < 4; ++i) {
    rig.turn(turn_of("other" + std::to_string(i)));
    EXPECT_EQ(rig.turn(turn_of("s")).replica, first.replica);
  }
  EXPECT_EQ(rig.home_of("s"), home);
  EXPECT_EQ(rig.router.explain("s", rig.now()).front().stand_in, first.replica);
}

TEST(Failover, ReturnsHomeWhenHomeStillRemembersMostOfIt) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 50'000).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  rig.turn(turn_of("s"), 60'000);
  rig.pass(std::chrono::seconds(10));
  rig.router.on_replica_state(home, ReplicaState::kUp, rig.now());
  const Dispatch back = rig.turn(turn_of("s"), 61'000);
  EXPECT_TRUE(went(back, Outcome::kSticky, Reason::kHomeBack));
  EXPECT_EQ(*back.replica, home);
  EXPECT_TRUE(went(rig.turn(turn_of("s")), Outcome::kSticky, Reason::kHome));
}

TEST(Failover, StaysWhereItHasGrownMoreThanHomeRemembers) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 10'000).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  const ReplicaIndex stand_in = *rig.turn(turn_of("s"), 30'000).replica;
  rig.router.on_replica_state(home, ReplicaState::kUp, rig.now());
  const Dispatch next = rig.turn(turn_of("s"), 31'000);
  EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(*next.replica, stand_in);
  EXPECT_EQ(rig.home_of("s"), stand_in);
}

TEST(Failover, StaysAfterAnOutageLongEnoughToHaveLostTheCache) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 50'000).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  const ReplicaIndex stand_in = *rig.turn(turn_of("s"), 51'000).replica;
  rig.pass(kCacheSurvives + std::chrono::seconds(1));
  rig.router.on_replica_state(home, ReplicaState::kUp, rig.now());
  EXPECT_EQ(*rig.turn(turn_of("s"), 52'000).replica, stand_in);
}

TEST(Failover, AConversationThatSleptThroughTheOutageJustGoesHome) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  rig.pass(std::chrono::minutes(5));
  rig.router.on_replica_state(home, ReplicaState::kUp, rig.now());
  EXPECT_TRUE(went(rig.turn(turn_of("s")), Outcome::kSticky, Reason::kHome));
}

TEST(Failover, ANewStandInWhenTheFirstGoesDownToo) {
  Rig rig(3);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  const ReplicaIndex first = *rig.turn(turn_of("s")).replica;
  rig.router.on_replica_state(first, ReplicaState::kDown, rig.now());
  const Dispatch second = rig.turn(turn_of("s"));
  EXPECT_TRUE(went(second, Outcome::kFailover, Reason::kHomeDown));
  EXPECT_EQ(*second.replica, 3 - home - first);
}

TEST(Failover, AStandInPastTheThresholdOverflows) {
  Settings settings;
  settings.overflow_threshold = 1;
  Rig rig(3, settings);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  const ReplicaIndex stand_in = *rig.turn(turn_of("s")).replica;
  rig.busy("s", 2);
  const Dispatch third = rig.send(turn_of("s"));
  EXPECT_EQ(third.outcome, Outcome::kOverflow);
  EXPECT_NE(*third.replica, stand_in);
  EXPECT_NE(*third.replica, home);
}

TEST(Failover, ResidentsCountWhereTheyLive) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 7'000).replica;
  EXPECT_EQ(rig.replica(home).view.resident, 1u);
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  rig.turn(turn_of("s"), 7'000);
  EXPECT_EQ(rig.replica(home).view.resident, 0u);
  EXPECT_EQ(rig.replica(1 - home).view.resident, 1u);
  EXPECT_EQ(rig.replica(1 - home).view.resident_tokens, 7'200u);
  EXPECT_EQ(rig.replica(home).bound, 1u);
}

TEST(Suspect, TakesNoNewConversationWhileAnotherIsUpButKeepsItsOwn) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.router.on_replica_state(home, ReplicaState::kSuspect, rig.now());
  for (int i = 0; i < 10; ++i) {
    EXPECT_NE(*rig.turn(turn_of("new" + std::to_string(i))).replica, home);
  }
  EXPECT_TRUE(went(rig.turn(turn_of("s")), Outcome::kSticky, Reason::kHome));
  rig.router.on_replica_state(1 - home, ReplicaState::kSuspect, rig.now());
  EXPECT_EQ(rig.turn(turn_of("with-all-suspect")).outcome, Outcome::kPlaced);
}

TEST(Draining, ItsConversationsMoveOnTheirNextTurnAndStayAway) {
  Rig rig(3);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  const Dispatch open = rig.send(turn_of("s"));
  rig.router.on_replica_state(home, ReplicaState::kDraining, rig.now());
  const Dispatch moved = rig.turn(turn_of("s"));
  EXPECT_TRUE(went(moved, Outcome::kMoved, Reason::kHomeDraining));
  EXPECT_NE(*moved.replica, home);
  rig.finish(open);  // the running stream ends in peace
  EXPECT_EQ(rig.replica(home).view.in_flight, 0u);
  EXPECT_TRUE(went(rig.turn(turn_of("s")), Outcome::kSticky, Reason::kHome));
  for (int i = 0; i < 10; ++i) {
    EXPECT_NE(*rig.turn(turn_of("new" + std::to_string(i))).replica, home);
  }
}

TEST(Draining, WithoutAlternativeItServesItsOwnAndRefusesNewOnes) {
  Rig rig(1);
  rig.turn(turn_of("s"));
  rig.router.on_replica_state(0, ReplicaState::kDraining, rig.now());
  EXPECT_TRUE(went(rig.turn(turn_of("s")), Outcome::kSticky, Reason::kHomeDraining));
  EXPECT_TRUE(std::holds_alternative<Refused>(rig.ask(turn_of("new"))));
}

TEST(Removed, ItsConversationsMoveAndItsTicketsEnd) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  const Dispatch open = rig.send(turn_of("s"));
  rig.router.remove_replica(home, rig.now());
  EXPECT_TRUE(went(rig.turn(turn_of("s")), Outcome::kMoved, Reason::kHomeDraining));
  rig.finish(open);
  EXPECT_EQ(rig.replica(home).view.in_flight, 0u);
  EXPECT_TRUE(rig.replica(home).removed);
  rig.router.on_replica_state(home, ReplicaState::kUp, rig.now());
  for (int i = 0; i < 10; ++i) {
    EXPECT_NE(*rig.turn(turn_of("new" + std::to_string(i))).replica, home);
  }
}

TEST(Removed, ALabelThatComesBackHasItsConversationsAgain) {
  Rig rig(3);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  const ReplicaSpec spec = rig.replica(home).spec;
  rig.router.remove_replica(home, rig.now());
  const ReplicaIndex again = rig.router.add_replica(spec, rig.now());
  const Dispatch next = rig.turn(turn_of("s"));
  EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(*next.replica, again);
  EXPECT_EQ(again, home) << "the same replica, not one more";
}

TEST(Removed, TheLastReplicaLeavesNothingToSend) {
  Rig rig(1);
  rig.turn(turn_of("s"));
  rig.router.remove_replica(0, rig.now());
  EXPECT_TRUE(std::holds_alternative<Refused>(rig.ask(turn_of("s"))));
}

}  // namespace
}  // namespace berth::routing
