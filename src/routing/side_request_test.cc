// Side requests never make, move or disturb a binding.
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

RequestFacts side_of(const std::string& session) {
  RequestFacts facts = turn_of(session);
  facts.kind = RequestKind::kSide;
  return facts;
}

RequestFacts with_tools(const std::string& session, std::uint32_t tools) {
  RequestFacts facts = turn_of(session);
  facts.tools = tools;
  return facts;
}

TEST(SideRequest, OfAnUnknownSessionBindsNothing) {
  Rig rig(4);
  EXPECT_TRUE(went(rig.turn(side_of("s")), Outcome::kUnbound, Reason::kSideRequest));
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 0u);
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kPlaced);
}

TEST(SideRequest, GoesToTheLeastLoadedNotHome) {
  Rig rig(2);
  const Dispatch main = rig.send(turn_of("s"));
  for (int i = 0; i < 4; ++i) {
    const Dispatch side = rig.turn(side_of("s"));
    EXPECT_TRUE(went(side, Outcome::kUnbound, Reason::kSideRequest));
    EXPECT_NE(side.replica, main.replica);
  }
}

TEST(SideRequest, ChangesNothingOfTheBinding) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s"), 60'000).replica;
  const Explanation before = rig.router.explain("s", rig.now()).front();
  rig.pass(std::chrono::seconds(5));
  for (int i = 0; i < 3; ++i) rig.turn(side_of("s"), 300);
  const Explanation after = rig.router.explain("s", rig.now()).front();
  EXPECT_EQ(after.tokens, before.tokens);
  EXPECT_EQ(after.turns, before.turns);
  EXPECT_EQ(after.last_used, before.last_used);
  EXPECT_EQ(after.history.size(), before.history.size());
  EXPECT_EQ(rig.home_of("s"), home);
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kSticky);
}

TEST(SideRequest, ThatPrefersHomeGoesThereIfThereIsOne) {
  Rig rig(4);
  RequestFacts count = side_of("s");
  count.prefer_home = true;
  EXPECT_TRUE(went(rig.turn(count), Outcome::kUnbound, Reason::kSideRequest));
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(*rig.turn(count).replica, home);
  rig.router.on_replica_state(home, ReplicaState::kDown, rig.now());
  EXPECT_NE(*rig.turn(count).replica, home);
}

TEST(SideRequest, ARequestWithoutToolsInASessionWithToolsIsOne) {
  Rig rig(2);
  rig.turn(with_tools("s", 12), 50'000);
  const Dispatch title = rig.turn(with_tools("s", 0), 400);
  EXPECT_TRUE(went(title, Outcome::kUnbound, Reason::kSideRequest));
  EXPECT_EQ(rig.router.explain("s", rig.now()).front().tokens, 50'200u);
  EXPECT_EQ(rig.turn(with_tools("s", 12)).outcome, Outcome::kSticky);
}

TEST(SideRequest, ATurnTheClientDeclaresIsNoneWhateverToolsItOffers) {
  Rig rig(2);
  const Dispatch first = rig.turn(with_tools("s", 12), 50'000);
  RequestFacts compaction = with_tools("s", 0);
  compaction.declared_turn = true;
  const Dispatch next = rig.turn(compaction);
  EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(next.replica, first.replica);
  RequestFacts counting = compaction;  // the endpoint alone makes it a side request
  counting.kind = RequestKind::kSide;
  EXPECT_EQ(rig.turn(counting).outcome, Outcome::kUnbound);
}

TEST(SideRequest, WithoutToolsAnywhereEveryRequestIsATurn) {
  Rig rig(2);
  rig.turn(with_tools("s", 0));
  EXPECT_EQ(rig.turn(with_tools("s", 0)).outcome, Outcome::kSticky);
  RequestFacts unread = turn_of("t");  // the body was not read: nothing is known of its tools
  rig.turn(with_tools("t", 3));
  EXPECT_EQ(rig.turn(unread).outcome, Outcome::kSticky);
}

TEST(SideRequest, ATitleThatComesFirstDoesNotTakeTheSessionAlong) {
  Rig rig(2);
  RequestFacts title = side_of("s");
  title.tools = 0;
  const Dispatch side = rig.send(title);
  const Dispatch main = rig.send(with_tools("s", 12));
  EXPECT_TRUE(went(main, Outcome::kPlaced, Reason::kNewConversation));
  EXPECT_NE(main.replica, side.replica);
}

}  // namespace
}  // namespace berth::routing
