// A request that only some of the model's servers can take: a LoRA adapter loaded on a part of
// them.
#include <algorithm>
#include <set>

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

Servers only(std::vector<std::uint32_t> servers) {
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(servers));
}

RequestFacts adapter_turn(const std::string& session, std::vector<std::uint32_t> servers) {
  RequestFacts facts = turn_of(session);
  facts.conversation->model = "adapter";
  facts.servers = only(std::move(servers));
  return facts;
}

bool refused(Rig& rig, const RequestFacts& facts) {
  return std::holds_alternative<Refused>(rig.ask(facts));
}

TEST(ServersOfAName, NewConversationsGoToThoseOnly) {
  Rig rig(4);
  std::set<ReplicaIndex> seen;
  for (int i = 0; i < 20; ++i) {
    seen.insert(*rig.turn(adapter_turn("s" + std::to_string(i), {1, 3})).replica);
  }
  EXPECT_EQ(seen, (std::set<ReplicaIndex>{1, 3}));
}

TEST(ServersOfAName, AHomeThatLostItIsLeftForGood) {
  Rig rig(3);
  const Dispatch first = rig.turn(adapter_turn("s", {0}));
  EXPECT_EQ(*first.replica, 0u);
  const Dispatch next = rig.turn(adapter_turn("s", {1, 2}));
  EXPECT_TRUE(went(next, Outcome::kMoved, Reason::kHomeDraining));
  EXPECT_NE(*next.replica, 0u);
  const Dispatch after = rig.turn(adapter_turn("s", {0, 1, 2}));
  EXPECT_TRUE(went(after, Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(after.replica, next.replica);
}

TEST(ServersOfAName, AStandInThatLostItIsReplaced) {
  Rig rig(3);
  rig.turn(adapter_turn("s", {0}));
  rig.router.on_replica_state(0, ReplicaState::kDown, rig.now());
  EXPECT_EQ(*rig.turn(adapter_turn("s", {0, 1})).replica, 1u);
  const Dispatch next = rig.turn(adapter_turn("s", {0, 2}));
  EXPECT_TRUE(went(next, Outcome::kFailover, Reason::kHomeDown));
  EXPECT_EQ(*next.replica, 2u);
}

TEST(ServersOfAName, WithoutOneThatServesItIsRefused) {
  Rig rig(2);
  rig.turn(adapter_turn("s", {0}));
  rig.router.on_replica_state(1, ReplicaState::kDown, rig.now());
  EXPECT_TRUE(refused(rig, adapter_turn("s", {1}))) << "its home has it no more";
  EXPECT_TRUE(refused(rig, adapter_turn("t", {1})));
  rig.router.on_replica_state(0, ReplicaState::kDraining, rig.now());
  EXPECT_TRUE(refused(rig, adapter_turn("s", {1})));
  EXPECT_EQ(rig.turn(adapter_turn("s", {0, 1})).outcome, Outcome::kSticky);
}

TEST(ServersOfAName, OverflowGoesToThoseOnly) {
  Settings settings;
  settings.overflow_threshold = 1;
  Rig rig(3, settings);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(*rig.send(adapter_turn("s", {0, 2})).replica % 2, 0u);
  EXPECT_EQ(rig.send(adapter_turn("s", {0, 2})).outcome, Outcome::kOverflow);
  EXPECT_EQ(rig.replica(1).view.in_flight, 0u);
}

TEST(ServersOfAName, ARetryGoesToThoseOnly) {
  Rig rig(3);
  const auto retried = [&](const RequestFacts& facts) {
    return rig.router.on_not_started(rig.send(facts).ticket, rig.now());
  };
  RequestFacts side = adapter_turn("s", {0, 2});
  side.kind = RequestKind::kSide;
  for (const RequestFacts& facts : {adapter_turn("s", {0, 2}), side}) {
    const Decision decision = retried(facts);
    ASSERT_TRUE(std::holds_alternative<Dispatch>(decision));
    EXPECT_NE(*std::get<Dispatch>(decision).replica, 1u);
  }
  EXPECT_TRUE(std::holds_alternative<Refused>(retried(adapter_turn("t", {1}))));
}

TEST(ServersOfAName, NoPolicySendsItElsewhere) {
  for (const Policy policy :
       {Policy::kSticky, Policy::kSessionHash, Policy::kRoundRobin, Policy::kLeastLoaded}) {
    Settings settings;
    settings.policy = policy;
    Rig rig(3, settings);
    for (int i = 0; i < 9; ++i) {
      RequestFacts facts = adapter_turn("s" + std::to_string(i), {1});
      if (i % 3 == 1) facts.kind = RequestKind::kSide;
      if (i % 3 == 2) facts.kind = RequestKind::kUnbindable;
      EXPECT_EQ(*rig.send(facts).replica, 1u) << policy_name(policy);
    }
  }
}

TEST(ServersOfAName, WithAffinityOffTheServerIsOneOfThose) {
  Settings settings;
  settings.affinity = false;
  Rig rig(0, settings);
  rig.add_ranks(2);
  rig.add_ranks(2);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(rig.send(adapter_turn("s" + std::to_string(i), {1})).target.server, 1u);
  }
}

}  // namespace
}  // namespace berth::routing
