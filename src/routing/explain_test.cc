// Why a conversation is where it is, and forgetting it.
#include "routing/history.h"
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

TEST(Explain, TellsAllConversationsOfASessionMainFirst) {
  Rig rig(4);
  rig.turn(subagent_of("s", "b"));
  rig.turn(turn_of("s"), 12'000);
  rig.turn(subagent_of("s", "a"));
  rig.turn(turn_of("s2"));
  const std::vector<Explanation> all = rig.router.explain("s", rig.now());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].key, key_of("s"));
  EXPECT_EQ(all[1].key.agent, "a");
  EXPECT_EQ(all[2].key.agent, "b");
  EXPECT_EQ(all[0].identity, IdentitySource::kClaudeCode);
  EXPECT_EQ(all[0].turns, 1u);
  EXPECT_EQ(all[0].last_usage.prompt_tokens, 12'000u);
  EXPECT_TRUE(rig.router.explain("unknown", rig.now()).empty());
}

TEST(Explain, EveryDecisionCarriesTheNumbersItSaw) {
  Rig rig(3);
  rig.busy("other", 2);
  const Dispatch placed = rig.turn(turn_of("s"));
  const std::vector<Explanation> all = rig.router.explain("s", rig.now());
  ASSERT_EQ(all.at(0).history.size(), 1u);
  const DecisionRecord& record = all.at(0).history.front();
  EXPECT_EQ(record.outcome, Outcome::kPlaced);
  EXPECT_EQ(record.reason, Reason::kNewConversation);
  EXPECT_EQ(record.replica, placed.replica);
  ASSERT_EQ(record.seen.size(), 3u);
  std::uint32_t in_flight = 0;
  for (const ReplicaView& view : record.seen) in_flight += view.in_flight;
  EXPECT_EQ(in_flight, 2u) << "as it was before the request itself was counted";
}

TEST(Explain, KeepsTheDecisionThatChoseTheHomeAndTheLastOnes) {
  Rig rig(2);
  rig.turn(turn_of("s"));
  for (int i = 0; i < 40; ++i) {
    rig.pass(std::chrono::seconds(1));
    rig.turn(turn_of("s"));
  }
  const auto history = rig.router.explain("s", rig.now()).at(0).history;
  ASSERT_EQ(history.size(), 1 + History::kRecent);
  EXPECT_EQ(history.front().outcome, Outcome::kPlaced);
  EXPECT_EQ(history.back().at, rig.now());
  for (std::size_t i = 1; i < history.size(); ++i) {
    EXPECT_LT(history[i - 1].at, history[i].at);
  }
}

TEST(Explain, HistoriesAreKeptForTheNewestConversationsOnly) {
  Settings settings;
  settings.max_histories = 2;
  Rig rig(2, settings);
  for (const char* name : {"a", "b", "c"}) rig.turn(turn_of(name));
  EXPECT_TRUE(rig.router.explain("a", rig.now()).at(0).history.empty());
  EXPECT_EQ(rig.router.explain("c", rig.now()).at(0).history.size(), 1u);
  settings.max_histories = 0;
  rig.router.on_config(settings, rig.now());
  rig.turn(turn_of("d"));
  EXPECT_TRUE(rig.router.explain("d", rig.now()).at(0).history.empty());
}

TEST(Explain, ALargeFleetIsShownInPartWithTheChosenReplicaInIt) {
  Rig rig(40);
  for (int i = 0; i < 40; ++i) {
    const std::string name = "s" + std::to_string(i);
    const Dispatch placed = rig.turn(turn_of(name));
    const DecisionRecord record = rig.router.explain(name, rig.now()).at(0).history.at(0);
    EXPECT_EQ(record.seen.size(), DecisionRecord::kMaxSeen);
    bool has_chosen = false;
    for (const ReplicaView& view : record.seen) has_chosen |= view.replica == *placed.replica;
    EXPECT_TRUE(has_chosen);
  }
}

TEST(Forget, AForgottenConversationIsPlacedAnew) {
  Rig rig(2);
  rig.turn(turn_of("s"));
  EXPECT_TRUE(rig.router.forget(key_of("s")));
  EXPECT_FALSE(rig.router.forget(key_of("s")));
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 0u);
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kPlaced);
}

TEST(Forget, OpenRequestsOfItEndInPeace) {
  Rig rig(2);
  const Dispatch open = rig.send(turn_of("s"));
  EXPECT_TRUE(rig.router.forget(key_of("s")));
  rig.finish(open);
  EXPECT_EQ(rig.replica(*open.replica).view.in_flight, 0u);
  EXPECT_EQ(rig.replica(*open.replica).view.resident, 0u);
  EXPECT_EQ(rig.outcomes(Outcome::kPlaced), 1u);
}

}  // namespace
}  // namespace berth::routing
