#include "cli/explain_text.h"

#include <gtest/gtest.h>

#include "console/explain_json.h"
#include "console/fake_source.h"

namespace berth::cli {
namespace {

using console::FakeSource;

constexpr Instant kNow{std::chrono::hours(5)};

std::string text(const std::vector<observe::ModelExplanation>& found) {
  const FakeSource source = FakeSource::two_ranks(kNow);
  return explain_text(console::explain_json(found, source.fleet, source, kNow), {});
}

TEST(ExplainText, TellsTheWholeStory) {
  EXPECT_EQ(text({FakeSource::conversation(kNow)}),
            R"(Session hash(s1) has 1 conversation.

Main conversation on model org/qwen3-4b
  Home: gpu0:8000#0, for 1 min; last used 4 s ago.
  Why there: it was a new conversation and there was room here (placed 1 min ago). It saw:
    gpu0:8000#0: 0 in flight, 1 resident with 2.0k tokens, KV 5.0%  <- chosen
    gpu0:8000#1: 2 in flight, 3 resident with 18.4k tokens, KV 41.0%
  2 turns, a context of 12,345 tokens (as the engine counted). Last turn: 11,900 of 12,300 prompt tokens came from the cache (96.7%).
  Recognised by Claude Code's session header; tenant team-a; in the access log 0123456789abcdef.
  Last decisions, newest first:
    4 s ago  sticky -> gpu0:8000#0, because this is its home
      gpu0:8000#0: 1 in flight, 2 resident with 14.0k tokens, KV 30.0%  <- chosen
    1 min ago  placed -> gpu0:8000#0, because it was a new conversation and there was room here
      gpu0:8000#0: 0 in flight, 1 resident with 2.0k tokens, KV 5.0%  <- chosen
      gpu0:8000#1: 2 in flight, 3 resident with 18.4k tokens, KV 41.0%
)");
}

TEST(ExplainText, PrintsTheNewestDecisionsAndCountsTheRest) {
  auto found = FakeSource::conversation(kNow);
  auto& history = found.explanation.history;
  while (history.size() < 20) history.push_back(history.back());
  EXPECT_NE(text({found}).find("    and 12 before; --json prints all that are kept.\n"),
            std::string::npos);
}

TEST(ExplainText, NamesTheSubagentAndTheAdapter) {
  auto found = FakeSource::conversation(kNow);
  found.explanation.key.agent = "a7";
  found.explanation.key.model = "my-lora";
  const std::string out = text({FakeSource::conversation(kNow), found});
  EXPECT_NE(out.find("Session hash(s1) has 2 conversations.\n"), std::string::npos) << out;
  EXPECT_NE(out.find("Conversation of subagent hash(a7) on model org/qwen3-4b (as my-lora)\n"),
            std::string::npos)
      << out;
}

TEST(ExplainText, SaysWhenTheEngineDidNotMeasure) {
  auto found = FakeSource::conversation(kNow);
  found.explanation.tokens_exact = false;
  found.explanation.last_usage.cached_tokens.reset();
  const std::string out = text({found});
  EXPECT_NE(out.find("12,345 tokens (estimated)"), std::string::npos) << out;
  EXPECT_NE(out.find("the engine did not say how many were cached"), std::string::npos) << out;
}

TEST(ExplainText, SaysWhenTheChoiceIsForgotten) {
  auto found = FakeSource::conversation(kNow);
  found.explanation.history.clear();
  const std::string out = text({found});
  EXPECT_NE(out.find("chosen earlier than the decisions that are kept"), std::string::npos) << out;
  EXPECT_NE(out.find("No decision is kept of it."), std::string::npos) << out;
}

TEST(ExplainText, NamesTheStandInOfAHomeThatIsDown) {
  auto found = FakeSource::conversation(kNow);
  found.explanation.stand_in = 1;
  EXPECT_NE(text({found}).find("  While the home is down: gpu0:8000#1.\n"), std::string::npos);
}

TEST(ExplainText, AStrangeDocumentIsNoCrash) {
  for (const char* document :
       {"null", "{}", R"({"conversations":[{}]})", R"({"conversations":[{"history":[1]}]})"}) {
    EXPECT_FALSE(explain_text(console::Json::parse(document), {}).empty()) << document;
  }
}

}  // namespace
}  // namespace berth::cli
