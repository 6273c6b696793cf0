// Affinity off, and endpoints that ignore the rank header.
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

Settings affinity_off() {
  Settings settings;
  settings.affinity = false;
  return settings;
}

RequestFacts responses(const std::string& session) {
  RequestFacts facts = turn_of(session);
  facts.rank_blind = true;
  return facts;
}

TEST(AffinityOff, OnRanksTheServerDecides) {
  Rig rig(0, affinity_off());
  rig.add_ranks(4);
  for (int i = 0; i < 3; ++i) {
    const Dispatch sent = rig.turn(turn_of("s"));
    EXPECT_TRUE(went(sent, Outcome::kUnbound, Reason::kAffinityOff));
    EXPECT_EQ(sent.target.server, 0u);
    EXPECT_FALSE(sent.target.rank);
    EXPECT_FALSE(sent.replica);
  }
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 0u);
  EXPECT_EQ(rig.router.snapshot(rig.now()).unranked.requests, 3u);
}

TEST(AffinityOff, IndependentServersGetTheLeastLoadedEachRequest) {
  Rig rig(2, affinity_off());
  const Dispatch first = rig.send(turn_of("s"));
  ASSERT_TRUE(first.replica);
  for (int i = 0; i < 4; ++i) {
    const Dispatch next = rig.turn(turn_of("s"));
    EXPECT_NE(next.replica, first.replica);
    EXPECT_FALSE(next.target.rank);
  }
}

TEST(AffinityOff, ServersAreComparedByRequestsARank) {
  Rig rig(0, affinity_off());
  rig.add_ranks(4);
  rig.add_server();
  std::vector<int> sent(2);
  for (int i = 0; i < 50; ++i) ++sent.at(rig.send(turn_of("s")).target.server);
  EXPECT_EQ(sent, (std::vector<int>{40, 10}));
  EXPECT_EQ(rig.router.in_flight_on_server(0), 40u);
  EXPECT_EQ(rig.router.snapshot(rig.now()).unranked_in_flight, 40u);
}

TEST(AffinityOff, IsAChoiceAtRunTimeAndKeepsTheHomes) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  rig.router.on_config(affinity_off(), rig.now());
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kUnbound);
  rig.router.on_config({}, rig.now());
  const Dispatch back = rig.turn(turn_of("s"));
  EXPECT_EQ(back.outcome, Outcome::kSticky);
  EXPECT_EQ(*back.replica, home);
}

TEST(AffinityOff, NothingInFlightIsLeftBehind) {
  Rig rig(0, affinity_off());
  rig.add_ranks(2);
  const Dispatch a = rig.send(turn_of("a"));
  const Dispatch b = rig.send(turn_of("b"));
  rig.finish(a);
  rig.router.on_gone(b.ticket, rig.now());
  EXPECT_EQ(rig.router.in_flight_on_server(0), 0u);
  EXPECT_EQ(rig.router.snapshot(rig.now()).unranked_in_flight, 0u);
}

TEST(RankBlind, OnRanksATurnIsUnboundAndCountedAsSuch) {
  Rig rig(0);
  rig.add_ranks(4);
  const Dispatch sent = rig.turn(responses("s"));
  EXPECT_TRUE(went(sent, Outcome::kUnbound, Reason::kRankBlind));
  EXPECT_FALSE(sent.target.rank);
  EXPECT_FALSE(sent.replica);
  EXPECT_EQ(rig.router.snapshot(rig.now()).rank_blind, 1u);
}

TEST(RankBlind, OnSingleRankServersItBindsAsAnyTurn) {
  Rig rig(4);
  EXPECT_EQ(rig.turn(responses("s")).outcome, Outcome::kPlaced);
  EXPECT_EQ(rig.turn(responses("s")).outcome, Outcome::kSticky);
  EXPECT_EQ(rig.router.snapshot(rig.now()).rank_blind, 0u);
}

TEST(RankBlind, WhatNeverHadAHomeIsNotCountedAsHavingLostIt) {
  Rig rig(0);
  rig.add_ranks(2);
  RequestFacts embeddings;
  embeddings.kind = RequestKind::kUnbindable;
  embeddings.rank_blind = true;
  EXPECT_TRUE(went(rig.turn(embeddings), Outcome::kUnbound, Reason::kNoIdentity));
  RequestFacts count = responses("s");
  count.kind = RequestKind::kSide;
  EXPECT_TRUE(went(rig.turn(count), Outcome::kUnbound, Reason::kSideRequest));
  EXPECT_EQ(rig.router.snapshot(rig.now()).rank_blind, 0u);
}

TEST(RankBlind, ItsLoadCountsForPlacement) {
  Rig rig(0);
  rig.add_ranks(2);
  rig.add_server();
  std::vector<Dispatch> open;
  for (int i = 0; i < 12; ++i) open.push_back(rig.send(responses("blind" + std::to_string(i))));
  const RouterSnapshot seen = rig.router.snapshot(rig.now());
  EXPECT_EQ(seen.replicas[0].view.unranked_share, 4u);
  EXPECT_EQ(seen.replicas[1].view.unranked_share, 4u);
  EXPECT_EQ(seen.replicas[2].view.in_flight, 4u);
  for (const Dispatch& dispatch : open) {
    if (dispatch.replica == 2u) {
      rig.finish(dispatch);
      break;
    }
  }
  // The ranks have no request of their own in flight, but four each of those without a rank.
  EXPECT_EQ(*rig.turn(turn_of("s")).replica, 2u);
}

}  // namespace
}  // namespace berth::routing
