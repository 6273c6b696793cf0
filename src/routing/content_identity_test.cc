// Clients that name no session: the router recognises the history and routes it as any
// conversation.
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

RequestFacts content_turn(Rig& rig, const std::vector<ChainHash>& chain,
                          RequestKind kind = RequestKind::kTurn) {
  RequestFacts facts;
  facts.kind = kind;
  facts.body_bytes = 40'000;
  rig.router.identify_by_content(facts, chain, "tenant", "model", rig.now());
  return facts;
}

TEST(ContentIdentity, LaterTurnsAreSticky) {
  Rig rig(4);
  const Dispatch first = rig.turn(content_turn(rig, {11, 12, 13}));
  EXPECT_EQ(first.outcome, Outcome::kPlaced);
  const RequestFacts next = content_turn(rig, {11, 12, 13, 14, 15});
  EXPECT_EQ(next.identity, IdentitySource::kContent);
  const Dispatch second = rig.turn(next);
  EXPECT_TRUE(went(second, Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(second.replica, first.replica);
}

TEST(ContentIdentity, TwoSessionsWithTheSameOpenerSeparateAndTheSecondStartsWhereItWasServed) {
  Rig rig(4);
  const Dispatch a = rig.turn(content_turn(rig, {1}));
  EXPECT_EQ(rig.turn(content_turn(rig, {1})).outcome, Outcome::kSticky);
  EXPECT_EQ(rig.turn(content_turn(rig, {1, 2, 3})).outcome, Outcome::kSticky);
  const Dispatch b = rig.turn(content_turn(rig, {1, 20, 30}));
  EXPECT_TRUE(went(b, Outcome::kPlaced, Reason::kNearParent));
  EXPECT_EQ(b.replica, a.replica);
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 2u);
}

TEST(ContentIdentity, AForkGoesHomeUnlessHomeIsPastTheThreshold) {
  Settings settings;
  settings.overflow_threshold = 1;
  Rig rig(2, settings);
  const Dispatch parent = rig.turn(content_turn(rig, {1}));
  rig.turn(content_turn(rig, {1, 2, 3}));
  EXPECT_EQ(rig.turn(content_turn(rig, {1, 4, 5})).replica, parent.replica);
  rig.send(content_turn(rig, {1, 2, 3}));
  rig.send(content_turn(rig, {1, 2, 3}));
  const Dispatch fork = rig.turn(content_turn(rig, {1, 6, 7}));
  EXPECT_EQ(fork.outcome, Outcome::kPlaced);
  EXPECT_NE(fork.replica, parent.replica);
}

// A client that compacts keeps the system prompt and its first message and puts a summary in place
// of the rest.
TEST(ContentIdentity, ACompactedHistoryGoesToTheHomeOfTheOneItShortens) {
  Rig rig(4);
  const Dispatch home = rig.turn(content_turn(rig, {1}));
  rig.turn(content_turn(rig, {1, 2, 3}));
  rig.turn(content_turn(rig, {1, 2, 3, 4, 5}));
  const Dispatch compacted = rig.turn(content_turn(rig, {1, 90}));
  EXPECT_TRUE(went(compacted, Outcome::kPlaced, Reason::kNearParent));
  EXPECT_EQ(compacted.replica, home.replica);
  const Dispatch next = rig.turn(content_turn(rig, {1, 90, 91, 92}));
  EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(next.replica, home.replica);
}

TEST(ContentIdentity, PacedSessionsWithACommonOpeningSpread) {
  Rig rig(4);
  std::vector<int> homes(4);
  for (ChainHash i = 0; i < 4; ++i) {
    ++homes.at(*rig.turn(content_turn(rig, {1, 2, 100 + i})).replica);
  }
  EXPECT_EQ(homes, (std::vector<int>{1, 1, 1, 1}));
}

TEST(ContentIdentity, PacedSessionsWithTheSameFirstMessageSpread) {
  Rig rig(4);
  std::vector<int> homes(4);
  for (ChainHash i = 0; i < 4; ++i) {
    ++homes.at(*rig.turn(content_turn(rig, {1})).replica);
    rig.turn(content_turn(rig, {1, 100 + i, 200 + i}));
  }
  EXPECT_EQ(homes, (std::vector<int>{1, 1, 1, 1}));
}

TEST(ContentIdentity, ASideRequestTeachesNothing) {
  Rig rig(4);
  const RequestFacts title = content_turn(rig, {7, 8}, RequestKind::kSide);
  EXPECT_FALSE(title.conversation);
  EXPECT_TRUE(went(rig.turn(title), Outcome::kUnbound, Reason::kSideRequest));
  EXPECT_EQ(rig.turn(content_turn(rig, {7, 8, 9})).outcome, Outcome::kPlaced);
}

TEST(ContentIdentity, CountingTheTokensOfAHistoryFindsItsHome) {
  Rig rig(4);
  const Dispatch first = rig.turn(content_turn(rig, {1, 2, 3}));
  RequestFacts count = content_turn(rig, {1, 2, 3, 4}, RequestKind::kSide);
  count.prefer_home = true;
  EXPECT_EQ(rig.turn(count).replica, first.replica);
  EXPECT_EQ(rig.turn(content_turn(rig, {1, 2, 3, 5})).outcome, Outcome::kSticky);
}

TEST(ContentIdentity, AnEmptyChainChangesNothing) {
  Rig rig(1);
  EXPECT_FALSE(content_turn(rig, {}).conversation);
}

RequestFacts named_turn(Rig& rig, RequestFacts facts, const std::vector<ChainHash>& chain) {
  rig.router.identify_by_content(facts, chain, "tenant", "model", rig.now());
  return facts;
}

TEST(ContentIdentity, ANamedConversationKeepsItsName) {
  Rig rig(1);
  const RequestFacts named = named_turn(rig, turn_of("s"), {1, 2});
  EXPECT_EQ(named.conversation->session, "s");
  EXPECT_EQ(named.identity, IdentitySource::kClaudeCode);
  EXPECT_FALSE(named.parent);
}

TEST(ContentIdentity, ASessionForkedUnderANewIdGoesToTheHomeOfItsHistory) {
  Rig rig(4);
  const Dispatch old = rig.turn(named_turn(rig, turn_of("old"), {1}));
  rig.turn(named_turn(rig, turn_of("old"), {1, 2, 3}));
  const Dispatch fork = rig.turn(named_turn(rig, turn_of("fork"), {1, 2, 3, 4, 50}));
  EXPECT_TRUE(went(fork, Outcome::kPlaced, Reason::kNearParent));
  EXPECT_EQ(fork.replica, old.replica);
  EXPECT_EQ(rig.turn(named_turn(rig, turn_of("fork"), {1, 2, 3, 4, 50, 51})).outcome,
            Outcome::kSticky);
}

TEST(ContentIdentity, ASubagentThatBeginsWithItsParentsHistoryIsAFork) {
  Rig rig(2);
  const Dispatch main = rig.turn(named_turn(rig, turn_of("s"), {1, 2, 3}));
  rig.busy("s", 4);  // too many for a subagent, not for a fork
  const RequestFacts fork = named_turn(rig, subagent_of("s", "f"), {1, 2, 3, 4});
  EXPECT_TRUE(fork.fork);
  EXPECT_EQ(rig.turn(fork).replica, main.replica);
  const RequestFacts other = named_turn(rig, subagent_of("s", "a"), {9});
  EXPECT_FALSE(other.fork);
  EXPECT_NE(rig.turn(other).replica, main.replica);
}

TEST(ContentIdentity, NamedSessionsWithTheSameFirstMessageSpread) {
  Rig rig(4);
  std::vector<int> homes(4);
  for (int i = 0; i < 4; ++i) {
    const std::string name = "s" + std::to_string(i);
    ++homes.at(*rig.turn(named_turn(rig, turn_of(name), {1, 2})).replica);
    rig.turn(named_turn(rig, turn_of(name), {1, 2, static_cast<ChainHash>(100 + i)}));
  }
  EXPECT_EQ(homes, (std::vector<int>{1, 1, 1, 1}));
}

TEST(ContentIdentity, ALostTableFindsMostHomesAgain) {
  Rig before(4);
  std::vector<ReplicaIndex> homes;
  for (ChainHash i = 0; i < 100; ++i) {
    homes.push_back(*before.turn(content_turn(before, {1000 * i})).replica);
  }
  Rig after(4, {}, 5);
  int same = 0;
  for (ChainHash i = 100; i-- > 0;) {
    const RequestFacts grown = content_turn(after, {1000 * i, 1000 * i + 1, 1000 * i + 2});
    same += *after.turn(grown).replica == homes[i] ? 1 : 0;
  }
  EXPECT_GE(same, 45);
}

}  // namespace
}  // namespace berth::routing
