// Replicas that come and go: what is forgotten, when, and what is never mistaken for another.
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

std::size_t listed(Rig& rig) { return rig.router.snapshot(rig.now()).replicas.size(); }

TEST(Retired, AThousandServersThatComeAndGoLeaveNothingBehind) {
  Rig rig(1);
  std::uint64_t requests = 0;
  for (int i = 0; i < 1000; ++i) {
    const ReplicaIndex fresh = rig.add_server();
    rig.router.on_replica_state(0, ReplicaState::kDown, rig.now());
    const std::string session = "s" + std::to_string(i);
    ASSERT_EQ(*rig.turn(turn_of(session)).replica, fresh);
    ++requests;
    rig.router.remove_replica(fresh, rig.now());
    EXPECT_FALSE(rig.router.retire_replica(fresh)) << "the conversation's home";
    rig.router.forget(key_of(session));
    ASSERT_TRUE(rig.router.retire_replica(fresh));
    rig.router.on_replica_state(0, ReplicaState::kUp, rig.now());
    ASSERT_EQ(listed(rig), 1u);
  }
  const RouterSnapshot seen = rig.router.snapshot(rig.now());
  EXPECT_EQ(seen.retired.requests, requests);
  EXPECT_EQ(seen.retired.prompt_tokens, requests * 10'000);
  EXPECT_EQ(rig.add_server(), 1001u) << "an index is not given twice";
}

TEST(Retired, NotWhileARequestIsOpenThere) {
  Rig rig(2);
  RequestFacts side = turn_of("s");
  side.kind = RequestKind::kSide;
  const Dispatch open = rig.send(side);
  rig.router.remove_replica(*open.replica, rig.now());
  EXPECT_FALSE(rig.router.retire_replica(*open.replica));
  rig.finish(open);
  EXPECT_TRUE(rig.router.retire_replica(*open.replica));
}

TEST(Retired, NotWhileItStandsInForAHomeThatIsDown) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  const ReplicaIndex stand_in = *rig.turn(turn_of("s")).replica;
  rig.pass(Settings{}.resident_window + std::chrono::minutes(1));
  ASSERT_EQ(rig.replica(stand_in).view.resident, 0u) << "by now only the stand-in refers to it";
  rig.router.remove_replica(stand_in, rig.now());
  EXPECT_FALSE(rig.router.retire_replica(stand_in));
  rig.router.on_replica_state(home, ReplicaState::kUp, rig.now());
  rig.turn(turn_of("s"));
  EXPECT_TRUE(rig.router.retire_replica(stand_in));
  EXPECT_EQ(*rig.turn(turn_of("s")).replica, home);
}

TEST(Retired, NotWhileAConversationPrefersItForItsOverflow) {
  Settings settings;
  settings.overflow_threshold = 0;
  Rig rig(2, settings);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  const Dispatch open = rig.send(turn_of("s"));
  const Dispatch overflow = rig.turn(turn_of("s"));
  ASSERT_EQ(overflow.outcome, Outcome::kOverflow);
  rig.router.remove_replica(*overflow.replica, rig.now());
  EXPECT_FALSE(rig.router.retire_replica(*overflow.replica));
  rig.finish(open);
  rig.router.forget(key_of("s"));
  EXPECT_TRUE(rig.router.retire_replica(*overflow.replica));
  EXPECT_EQ(listed(rig), 1u);
  EXPECT_EQ(rig.replica(0).index, home);
}

TEST(Retired, WhenARefusalChangedTheHomeTheCountsKnow) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  const ReplicaSpec spec = rig.replica(home).spec;
  const Dispatch open = rig.send(turn_of("s"));
  rig.router.remove_replica(home, rig.now());
  ReplicaSpec elsewhere = spec;
  elsewhere.target.server = 7;  // its ticket still counts at the old server
  const ReplicaIndex again = rig.router.add_replica(elsewhere, rig.now());
  ASSERT_NE(again, home);
  rig.router.on_replica_state(again, ReplicaState::kDown, rig.now());
  rig.router.on_replica_state(1 - home, ReplicaState::kDown, rig.now());
  ASSERT_TRUE(std::holds_alternative<Refused>(rig.ask(turn_of("s"))));
  rig.router.remove_replica(again, rig.now());
  EXPECT_FALSE(rig.router.retire_replica(again)) << "it is the conversation's home now";
  rig.finish(open);
  EXPECT_TRUE(rig.router.retire_replica(home));
}

TEST(Retired, TheOthersGoOnUnderTheirIndices) {
  Rig rig(4);
  std::vector<ReplicaIndex> homes;
  for (int i = 0; i < 12; ++i) {
    homes.push_back(*rig.turn(turn_of("s" + std::to_string(i))).replica);
  }
  for (int i = 0; i < 12; ++i) {
    if (homes[static_cast<std::size_t>(i)] == 1) rig.router.forget(key_of("s" + std::to_string(i)));
  }
  rig.router.remove_replica(1, rig.now());
  ASSERT_TRUE(rig.router.retire_replica(1));
  for (int i = 0; i < 12; ++i) {
    if (homes[static_cast<std::size_t>(i)] == 1) continue;
    const Dispatch next = rig.turn(turn_of("s" + std::to_string(i)));
    EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHome));
    EXPECT_EQ(*next.replica, homes[static_cast<std::size_t>(i)]);
    EXPECT_EQ(next.target.server, *next.replica);
  }
}

}  // namespace
}  // namespace berth::routing
