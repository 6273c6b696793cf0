#include "sim/agent_sessions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace berth::sim {
namespace {

std::vector<ConversationPlan> draw_many(const AgentSessionSettings& settings, int count) {
  const AgentSessions workload(settings);
  std::vector<ConversationPlan> plans;
  for (int i = 0; i < count; ++i) {
    Random random(static_cast<std::uint64_t>(i));
    plans.push_back(workload.draw({}, random));
  }
  return plans;
}

TEST(AgentSessions, TheDefaultIsTheReference) {
  double first = 0;
  double added = 0;
  double full = 0;
  const auto plans = draw_many({}, 2'000);
  for (const ConversationPlan& plan : plans) {
    ASSERT_EQ(plan.turns.size(), 6U);
    EXPECT_TRUE(plan.named && plan.whole);
    EXPECT_EQ(plan.turns[0].kept_tokens, 3'500U);
    first += plan.turns[0].prompt_tokens - 3'500.0;
    for (std::size_t i = 0; i < plan.turns.size(); ++i) {
      const TurnPlan& turn = plan.turns[i];
      EXPECT_GE(turn.output_tokens, 32U);
      EXPECT_LE(turn.output_tokens, 256U);
      full += turn.output_tokens == 256U;
      if (i == 0) continue;
      const TurnPlan& before = plan.turns[i - 1];
      EXPECT_EQ(turn.kept_tokens, before.prompt_tokens + before.output_tokens);
      EXPECT_EQ(turn.gap, std::chrono::milliseconds(200));
      added += turn.prompt_tokens - turn.kept_tokens;
    }
  }
  EXPECT_NEAR(first / 2'000, 7'300, 30);
  EXPECT_NEAR(added / 10'000, 400, 4);
  EXPECT_NEAR(full / 12'000, 0.9, 0.01);
}

// What full affinity can reach: everything a session has sent or got before is read from the cache.
TEST(AgentSessions, TheMostThatCanBeHitIsTheStudys) {
  double kept = 0;
  double prompts = 0;
  for (const ConversationPlan& plan : draw_many({}, 500)) {
    for (const TurnPlan& turn : plan.turns) {
      kept += turn.kept_tokens;
      prompts += turn.prompt_tokens;
    }
  }
  EXPECT_NEAR(kept / prompts, 0.874, 0.004);
}

TEST(AgentSessions, ThinkTimeIsExponential) {
  AgentSessionSettings settings;
  settings.think_s = 5;
  double sum = 0;
  for (const ConversationPlan& plan : draw_many(settings, 2'000)) {
    for (std::size_t i = 1; i < plan.turns.size(); ++i) sum += to_seconds(plan.turns[i].gap) - 0.2;
  }
  EXPECT_NEAR(sum / 10'000, 5, 0.15);
}

TEST(AgentSessions, HeavyTailsAreMostlyShortAndSometimesVeryLong) {
  AgentSessionSettings settings;
  settings.tail = 1.1;
  settings.min_turns = 10;
  settings.max_turns = 200;
  std::vector<std::size_t> turns;
  for (const ConversationPlan& plan : draw_many(settings, 1'000)) {
    turns.push_back(plan.turns.size());
  }
  std::sort(turns.begin(), turns.end());
  EXPECT_EQ(turns.front(), 10U);
  EXPECT_LT(turns[500], 20U);
  EXPECT_GT(turns[990], 150U);
  EXPECT_LE(turns.back(), 200U);
}

TEST(AgentSessions, TheStudysHeavyTailFitsTheReferencesCards) {
  AgentSessionSettings settings;
  settings.tail = 1.1;
  settings.min_turns = 10;
  settings.max_turns = 200;
  settings.turn_tokens = 50;
  settings.output_tokens = 64;
  const std::uint64_t limit = AgentSessions(settings).largest_request();
  EXPECT_LT(limit, 35'984U);
  std::size_t longest = 0;
  for (const ConversationPlan& plan : draw_many(settings, 2'000)) {
    longest = std::max(longest, plan.turns.size());
    EXPECT_LE(plan.turns.back().prompt_tokens + plan.turns.back().output_tokens, limit);
  }
  EXPECT_GT(longest, 190U) << "and none is cut short";
}

TEST(AgentSessions, SubagentsBeginWithTheSharedTextAndReportToTheirParent) {
  AgentSessionSettings settings;
  settings.subagent_share = 0.3;
  int with = 0;
  for (const ConversationPlan& plan : draw_many(settings, 500)) {
    for (const TurnPlan& turn : plan.turns) {
      if (turn.children.empty()) continue;
      ++with;
      ASSERT_EQ(turn.children.size(), 3U);
      EXPECT_EQ(turn.children[0].turns.size(), 2U);
      EXPECT_EQ(turn.children[0].turns[0].kept_tokens, 3'500U);
      EXPECT_GT(turn.prompt_tokens - turn.kept_tokens, 600U);
    }
  }
  EXPECT_NEAR(with / 2'500.0, 0.3, 0.03);
}

TEST(AgentSessions, NoRequestIsLargerThanItSays) {
  AgentSessionSettings settings;
  settings.subagent_share = 0.5;
  const std::uint64_t limit = AgentSessions(settings).largest_request();
  for (const ConversationPlan& plan : draw_many(settings, 1'000)) {
    for (const TurnPlan& turn : plan.turns) {
      EXPECT_LE(turn.prompt_tokens + turn.output_tokens, limit);
    }
  }
}

}  // namespace
}  // namespace berth::sim
