// A replica that provably did not start a request: at most one retry, on another server.
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

Dispatch retried(Rig& rig, const Dispatch& first) {
  const Decision decision = rig.router.on_not_started(first.ticket, rig.now());
  const Dispatch* second = std::get_if<Dispatch>(&decision);
  EXPECT_NE(second, nullptr);
  if (second == nullptr) return {};
  EXPECT_EQ(second->ticket, first.ticket);
  EXPECT_EQ(second->reason, Reason::kRetried);
  EXPECT_NE(second->replica, first.replica);
  return *second;
}

bool refused(Rig& rig, const Dispatch& first) {
  return std::holds_alternative<Refused>(rig.router.on_not_started(first.ticket, rig.now()));
}

std::uint32_t in_flight(Rig& rig) {
  std::uint32_t sum = 0;
  for (const ReplicaSnapshot& replica : rig.router.snapshot(rig.now()).replicas) {
    sum += replica.view.in_flight;
  }
  return sum;
}

TEST(Retry, APlacedConversationGetsTheSecondReplicaAsItsHome) {
  Rig rig(3);
  const Dispatch second = retried(rig, rig.send(turn_of("s")));
  EXPECT_EQ(second.outcome, Outcome::kPlaced);
  EXPECT_EQ(in_flight(rig), 1u);
  rig.finish(second);
  EXPECT_EQ(rig.home_of("s"), *second.replica);
  EXPECT_TRUE(went(rig.turn(turn_of("s")), Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(rig.outcomes(Outcome::kPlaced), 1u);
}

TEST(Retry, AStickyTurnBecomesFailoverAndTheHomeIsKept) {
  Rig rig(3);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 50'000).replica;
  const Dispatch second = retried(rig, rig.send(turn_of("s")));
  EXPECT_EQ(second.outcome, Outcome::kFailover);
  rig.finish(second, 51'000);
  EXPECT_EQ(rig.home_of("s"), home);
  EXPECT_TRUE(went(rig.turn(turn_of("s")), Outcome::kSticky, Reason::kHomeBack));
}

TEST(Retry, AnOverflowThatDidNotStartGoesHome) {
  Settings settings;
  settings.overflow_threshold = 1;
  Rig rig(2, settings);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.busy("s", 2);
  const Dispatch overflow = rig.send(turn_of("s"));
  ASSERT_EQ(overflow.outcome, Outcome::kOverflow);
  const Dispatch second = retried(rig, overflow);
  EXPECT_EQ(second.outcome, Outcome::kSticky);
  EXPECT_EQ(*second.replica, home);
}

TEST(Retry, AMoveThatDidNotStartGoesBackToTheHomeItLeft) {
  Settings settings;
  settings.overflow_threshold = 2;
  settings.move_gap = 3;
  settings.move_after_overflows = 3;
  Rig rig(3, settings);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 9'000).replica;
  rig.busy("s", 3);
  rig.turn(turn_of("s"));
  rig.turn(turn_of("s"));
  const Dispatch moved = rig.send(turn_of("s"));
  ASSERT_TRUE(went(moved, Outcome::kMoved, Reason::kHomeStaysBusy));
  const Dispatch second = retried(rig, moved);
  EXPECT_EQ(second.outcome, Outcome::kSticky);
  EXPECT_EQ(*second.replica, home);
  rig.finish(second);
  EXPECT_EQ(rig.home_of("s"), home);
  EXPECT_EQ(rig.outcomes(Outcome::kMoved), 0u);
  // No move was made, so none need wait for the next.
  rig.turn(turn_of("s"));
  rig.turn(turn_of("s"));
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kMoved);
}

TEST(Retry, ASideRequestGoesToAnotherReplicaUnbound) {
  Rig rig(2);
  RequestFacts side = turn_of("s");
  side.kind = RequestKind::kSide;
  EXPECT_EQ(retried(rig, rig.send(side)).outcome, Outcome::kUnbound);
}

TEST(Retry, OnlyOnce) {
  Rig rig(3);
  const Dispatch second = retried(rig, rig.send(turn_of("s")));
  EXPECT_TRUE(refused(rig, second));
  EXPECT_EQ(in_flight(rig), 0u);
  EXPECT_EQ(rig.outcomes(Outcome::kRefused), 1u);
  EXPECT_EQ(rig.outcomes(Outcome::kPlaced), 0u);
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 0u);
}

TEST(Retry, WithoutAnotherServerItIsRefusedAndCountedOnce) {
  Rig rig(1);
  const Dispatch first = rig.send(turn_of("s"));
  EXPECT_TRUE(refused(rig, first));
  EXPECT_EQ(in_flight(rig), 0u);
  EXPECT_EQ(rig.outcomes(Outcome::kRefused), 1u);
  // Closed already: the gateway's own closing does no harm.
  rig.router.on_gone(first.ticket, rig.now());
  EXPECT_TRUE(refused(rig, first));
  EXPECT_EQ(rig.outcomes(Outcome::kRefused), 1u);
}

TEST(Retry, NotOnAnotherRankOfTheSameServer) {
  Rig rig(0);
  rig.add_ranks(4);
  EXPECT_TRUE(refused(rig, rig.send(turn_of("s"))));
  rig.add_server();
  const Dispatch first = rig.send(turn_of("t"));
  const Dispatch second = retried(rig, first);
  EXPECT_NE(second.target.server, first.target.server);
}

TEST(Retry, WithoutARankTheOtherServerIsTried) {
  Settings settings;
  settings.affinity = false;
  Rig rig(0, settings);
  rig.add_ranks(2);
  rig.add_ranks(2);
  const Dispatch first = rig.send(turn_of("s"));
  const Decision decision = rig.router.on_not_started(first.ticket, rig.now());
  const auto& second = std::get<Dispatch>(decision);
  EXPECT_NE(second.target.server, first.target.server);
  EXPECT_FALSE(second.target.rank);
  rig.finish(second);
  EXPECT_EQ(rig.router.in_flight_on_server(0) + rig.router.in_flight_on_server(1), 0u);
}

TEST(Retry, ARefusedTurnLeavesAnOldBindingAlone) {
  Rig rig(1);
  rig.turn(turn_of("s"));
  EXPECT_TRUE(refused(rig, rig.send(turn_of("s"))));
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kSticky);
}

}  // namespace
}  // namespace berth::routing
