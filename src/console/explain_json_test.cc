#include "console/explain_json.h"

#include <gtest/gtest.h>

#include "console/fake_source.h"

namespace berth::console {
namespace {

constexpr Instant kNow{std::chrono::hours(5)};

Json explained(const std::vector<observe::ModelExplanation>& found) {
  const FakeSource source = FakeSource::two_ranks(kNow);
  return explain_json(found, source.fleet, source, kNow);
}

TEST(ExplainJson, SaysWhereAndWhy) {
  const Json json = explained({FakeSource::conversation(kNow)});
  ASSERT_EQ(json["conversations"].size(), 1u);
  const Json& conversation = json["conversations"][0];
  EXPECT_EQ(conversation["model"], "org/qwen3-4b");
  EXPECT_EQ(conversation["tenant"], "team-a");
  EXPECT_EQ(conversation["conversation"], "0123456789abcdef");
  EXPECT_EQ(conversation["identity"], "claude-code");
  EXPECT_EQ(conversation["turns"], 2);
  EXPECT_EQ(conversation["tokens"], 12'345);
  EXPECT_EQ(conversation["tokens_exact"], true);
  EXPECT_EQ(conversation["idle_since_s"], 4.0);
  EXPECT_EQ(conversation["last_usage"]["cached_tokens"], 11'900);
  const Json& home = conversation["home"];
  EXPECT_EQ(home["label"], "gpu0:8000#0");
  EXPECT_EQ(home["bound_since_s"], 60.0);
  EXPECT_EQ(home["chosen_by"]["outcome"], "placed");
  EXPECT_EQ(home["chosen_by"]["reason"], "new-conversation");
}

TEST(ExplainJson, EachDecisionCarriesTheNumbersItSaw) {
  const Json json = explained({FakeSource::conversation(kNow)});
  const Json& history = json["conversations"][0]["history"];
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[0]["age_s"], 60.0);
  EXPECT_EQ(history[1]["outcome"], "sticky");
  EXPECT_EQ(history[1]["because"], "this is its home");
  const Json& seen = history[0]["seen"][1];
  EXPECT_EQ(seen["label"], "gpu0:8000#1");
  EXPECT_EQ(seen["in_flight"], 2);
  EXPECT_EQ(seen["resident"], 3);
  EXPECT_EQ(seen["resident_tokens"], 18'400);
  EXPECT_EQ(seen["kv_usage"], 0.41);
}

TEST(ExplainJson, IdsLeaveOnlyAsHashes) {
  auto found = FakeSource::conversation(kNow);
  found.explanation.key.session = "canary-session";
  found.explanation.key.agent = "canary-agent";
  const Json json = explained({found});
  EXPECT_EQ(json["session"], "hash(canary-session)");
  EXPECT_EQ(json["conversations"][0]["agent"], "hash(canary-agent)");
  std::string text = json.dump();
  for (const std::string hash : {"hash(canary-session)", "hash(canary-agent)"}) {
    for (auto at = text.find(hash); at != std::string::npos; at = text.find(hash)) {
      text.erase(at, hash.size());
    }
  }
  EXPECT_EQ(text.find("canary"), std::string::npos);
}

TEST(ExplainJson, AHomeOlderThanTheHistoryHasNoChoice) {
  auto found = FakeSource::conversation(kNow);
  found.explanation.history.erase(found.explanation.history.begin());
  EXPECT_TRUE(explained({found})["conversations"][0]["home"]["chosen_by"].is_null());
}

TEST(ExplainJson, AnOverflowElsewhereDidNotChooseTheHome) {
  auto found = FakeSource::conversation(kNow);
  found.explanation.history[0].outcome = routing::Outcome::kOverflow;
  EXPECT_TRUE(explained({found})["conversations"][0]["home"]["chosen_by"].is_null());
}

TEST(ExplainJson, ADecisionWithoutAReplicaIsTheEnginesChoice) {
  auto found = FakeSource::conversation(kNow);
  found.explanation.history[1].replica.reset();
  const Json json = explained({found});
  EXPECT_TRUE(json["conversations"][0]["history"][1]["replica"].is_null());
  EXPECT_TRUE(json["conversations"][0]["history"][1]["label"].is_null());
}

}  // namespace
}  // namespace berth::console
