// An engine that was restarted has an empty cache, whether or not its replica was ever down.
#include "routing/failover.h"
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

TEST(Restarted, ItsConversationsStayAndAreResidentAgainOnceServed) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 50'000).replica;
  ASSERT_EQ(rig.replica(home).view.resident_tokens, 50'200u);
  rig.router.on_restarted(home, rig.now());
  EXPECT_EQ(rig.replica(home).view.resident, 0u);
  EXPECT_EQ(rig.replica(home).view.resident_tokens, 0u);
  EXPECT_EQ(rig.replica(home).bound, 1u);
  const Dispatch next = rig.turn(turn_of("s"), 51'000);
  EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(*next.replica, home);
  EXPECT_EQ(rig.replica(home).view.resident, 1u);
  EXPECT_EQ(rig.replica(home).view.resident_tokens, 51'200u);
}

TEST(Restarted, AConversationThatWasNotServedSinceStaysCold) {
  Rig rig(1);
  rig.turn(turn_of("s"), 50'000);
  const Dispatch open = rig.send(turn_of("s"));
  rig.router.on_restarted(0, rig.now());
  rig.fail(open, 500);
  EXPECT_EQ(rig.replica(0).view.resident, 0u);
  rig.fail(rig.send(turn_of("s")), 500);
  EXPECT_EQ(rig.replica(0).view.resident, 0u);
  rig.turn(turn_of("s"), 50'000);
  EXPECT_EQ(rig.replica(0).view.resident, 1u);
  rig.router.forget(key_of("s"));
  EXPECT_EQ(rig.replica(0).view.resident, 0u);
  EXPECT_EQ(rig.replica(0).view.resident_tokens, 0u);
}

TEST(Restarted, NewConversationsComeSlowly) {
  Rig rig(2);
  for (int i = 0; i < 30; ++i) rig.turn(turn_of("old" + std::to_string(i)));
  rig.router.on_restarted(1, rig.now());
  int there = 0;
  for (int i = 0; i < 6; ++i) {
    there += *rig.turn(turn_of("new" + std::to_string(i))).replica == 1 ? 1 : 0;
  }
  EXPECT_EQ(there, 3) << "it has no residents, but takes only its fair share";
}

// Down for a moment, and back: by the time alone the cache would be believed to have survived.
TEST(Restarted, AConversationThatWentElsewhereMeanwhileStaysThere) {
  for (const bool restarted : {false, true}) {
    Rig rig(2);
    const ReplicaIndex home = *rig.turn(turn_of("s"), 50'000).replica;
    rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
    const ReplicaIndex stand_in = *rig.turn(turn_of("s"), 51'000).replica;
    rig.pass(std::chrono::seconds(5));
    if (restarted) rig.router.on_restarted(home, rig.now());
    rig.router.on_replica_state(home, ReplicaState::kUp, rig.now());
    EXPECT_EQ(*rig.turn(turn_of("s"), 52'000).replica, restarted ? stand_in : home);
  }
}

TEST(Restarted, ALongOutageEmptiesTheCacheOfThoseThatSleptThroughIt) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 50'000).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  rig.pass(kCacheSurvives + std::chrono::seconds(1));
  rig.router.on_replica_state(home, ReplicaState::kUp, rig.now());
  EXPECT_EQ(rig.replica(home).view.resident, 0u);
  rig.router.on_replica_state(1 - home, ReplicaState::kDown, rig.now());
  rig.pass(std::chrono::seconds(5));
  rig.router.on_replica_state(1 - home, ReplicaState::kUp, rig.now());
  EXPECT_EQ(*rig.turn(turn_of("s"), 51'000).replica, home);
  EXPECT_EQ(rig.replica(home).view.resident, 1u);
}

TEST(Restarted, AStandInThatRestartsHasNoResidents) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 50'000).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  const ReplicaIndex stand_in = *rig.turn(turn_of("s"), 51'000).replica;
  ASSERT_EQ(rig.replica(stand_in).view.resident, 1u);
  rig.router.on_restarted(stand_in, rig.now());
  EXPECT_EQ(rig.replica(stand_in).view.resident, 0u);
  EXPECT_TRUE(went(rig.turn(turn_of("s"), 51'000), Outcome::kFailover, Reason::kHomeDown));
  EXPECT_EQ(rig.replica(stand_in).view.resident, 1u);
}

TEST(Restarted, WhatTheStandInHoldsIsKeptWhenItBecomesTheHome) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 50'000).replica;
  rig.router.on_restarted(1 - home, rig.now());
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  rig.turn(turn_of("s"), 51'000);
  rig.pass(kCacheSurvives + std::chrono::seconds(1));
  rig.router.on_replica_state(home, ReplicaState::kUp, rig.now());
  const Dispatch next = rig.send(turn_of("s"));
  EXPECT_EQ(rig.home_of("s"), 1 - home);
  rig.fail(next, 500);
  EXPECT_EQ(rig.replica(1 - home).view.resident, 1u);
}

}  // namespace
}  // namespace berth::routing
