// A conversation keeps its home; the first turn is placed, later ones are sticky.
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

TEST(Sticky, FirstTurnIsPlacedAndLaterTurnsGoHome) {
  Rig rig(4);
  const Dispatch first = rig.turn(turn_of("s"));
  EXPECT_TRUE(went(first, Outcome::kPlaced, Reason::kNewConversation));
  ASSERT_TRUE(first.replica);
  for (int i = 0; i < 5; ++i) {
    rig.pass(std::chrono::seconds(30));
    const Dispatch next = rig.turn(turn_of("s"));
    EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHome));
    EXPECT_EQ(next.replica, first.replica);
    EXPECT_EQ(next.target.server, first.target.server);
  }
}

TEST(Sticky, FourPacedConversationsTakeFourReplicas) {
  Rig rig(4);
  std::vector<int> homes(4);
  for (int i = 0; i < 4; ++i) ++homes.at(*rig.turn(turn_of("s" + std::to_string(i))).replica);
  EXPECT_EQ(homes, (std::vector<int>{1, 1, 1, 1}));
}

TEST(Sticky, BothTopologiesGiveTheSameStickinessAndRanksAreNamed) {
  Rig rig(0);
  rig.add_ranks(4);
  const Dispatch first = rig.turn(turn_of("s"));
  ASSERT_TRUE(first.target.rank);
  EXPECT_EQ(*first.replica, static_cast<ReplicaIndex>(*first.target.rank));
  const Dispatch second = rig.turn(turn_of("s"));
  EXPECT_EQ(second.target.rank, first.target.rank);
  EXPECT_TRUE(went(second, Outcome::kSticky, Reason::kHome));
}

TEST(Sticky, EveryPartOfTheKeyCounts) {
  Rig rig(4);
  rig.turn(turn_of("session-1"));
  RequestFacts other_tenant = turn_of("session-1");
  other_tenant.conversation->tenant = "another";
  RequestFacts other_model = turn_of("session-1");
  other_model.conversation->model = "adapter";
  EXPECT_EQ(rig.turn(turn_of("session-12")).outcome, Outcome::kPlaced);
  EXPECT_EQ(rig.turn(other_tenant).outcome, Outcome::kPlaced);
  EXPECT_EQ(rig.turn(other_model).outcome, Outcome::kPlaced);
  EXPECT_EQ(rig.turn(turn_of("session-1", "agent")).outcome, Outcome::kPlaced);
  EXPECT_EQ(rig.turn(turn_of("session-1")).outcome, Outcome::kSticky);
}

TEST(Sticky, AnIdleBindingIsForgottenAfterItsTtlAndNotBefore) {
  Rig rig(4);
  rig.turn(turn_of("s"));
  rig.pass(std::chrono::minutes(59));
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kSticky);
  rig.clock.advance(std::chrono::minutes(61));  // no tick in between
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kPlaced);
}

TEST(Sticky, ALongAnswerKeepsTheBindingAlive) {
  Rig rig(4);
  const Dispatch open = rig.send(turn_of("s"));
  rig.pass(std::chrono::hours(3));
  rig.finish(open);
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kSticky);
}

TEST(Sticky, ARequestWithoutIdentityIsUnboundAndSpreads) {
  Rig rig(2);
  RequestFacts nobody;
  const Dispatch a = rig.turn(nobody);
  const Dispatch b = rig.turn(nobody);
  EXPECT_TRUE(went(a, Outcome::kUnbound, Reason::kNoIdentity));
  EXPECT_NE(a.replica, b.replica);
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 0u);
}

TEST(Sticky, WithoutAnyReplicaUpTheRequestIsRefusedAndCounted) {
  Rig rig(1);
  rig.router.on_replica_state(0, ReplicaState::kDown, rig.now());
  const Decision decision = rig.ask(turn_of("s"));
  const auto* refused = std::get_if<Refused>(&decision);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->status, 503);
  EXPECT_GT(refused->retry_after_s, 0u);
  EXPECT_LE(refused->retry_after_s, 60u);
  EXPECT_FALSE(refused->why.empty());
  EXPECT_EQ(rig.outcomes(Outcome::kRefused), 1u);
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 0u);
}

}  // namespace
}  // namespace berth::routing
