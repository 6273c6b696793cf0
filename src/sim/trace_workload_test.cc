#include "sim/trace_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/presets.h"

namespace berth::sim {
namespace {

using ::testing::HasSubstr;

ConversationPlan conversation(std::uint32_t turns, std::uint32_t prompt, double gap_s = 30) {
  ConversationPlan plan;
  for (std::uint32_t i = 0; i < turns; ++i) {
    TurnPlan turn;
    turn.prompt_tokens = prompt + i;
    turn.output_tokens = 10;
    turn.gap = Duration(static_cast<std::int64_t>(gap_s * 1e9));
    plan.turns.push_back(turn);
  }
  return plan;
}

ConversationPlan draw(const TraceWorkload& workload, std::uint64_t session, bool initial = false) {
  Random random(session + 1);
  return workload.draw({session, 0, initial}, random);
}

TEST(TraceWorkload, LeavesOutConversationsThatEverGetTooLarge) {
  TraceSettings settings;
  settings.max_context = 1'012;
  const auto workload =
      TraceWorkload::make({conversation(3, 1'000), conversation(4, 1'000)}, settings);
  ASSERT_TRUE(workload.has_value());
  EXPECT_EQ(workload->conversations(), 1U);
  EXPECT_EQ(workload->dropped(), 1U);
  EXPECT_EQ(workload->largest_request(), 1'012U);
  EXPECT_DOUBLE_EQ(workload->mean_context(), 1'011);
  settings.max_context = 500;
  const auto none = TraceWorkload::make({conversation(3, 1'000)}, settings);
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("--max-context: all 1 conversations"));
}

TEST(TraceWorkload, TheRatioIsWorkingSetToCache) {
  const auto workload = TraceWorkload::make({conversation(1, 990)}, {});
  EXPECT_EQ(workload->clients_for(1, 144'000), 144U);
  EXPECT_EQ(workload->clients_for(0.5, 144'000), 72U);
  EXPECT_EQ(workload->clients_for(0.001, 144'000), 1U);
}

TEST(TraceWorkload, ThoseThereAtTheStartJoinInTheMiddle) {
  const auto workload = TraceWorkload::make({conversation(10, 20'000)}, {});
  std::set<std::size_t> turns;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const ConversationPlan plan = draw(*workload, i, true);
    turns.insert(plan.turns.size());
    EXPECT_EQ(plan.whole, plan.turns.size() == 10);
    EXPECT_EQ(plan.turns.front().kept_tokens, 15'000U);
    EXPECT_EQ(draw(*workload, i).turns.size(), 10U);
  }
  EXPECT_EQ(turns.size(), 10U);
}

TEST(TraceWorkload, PausesAreCutOrThoseOfAgentsThatWorkAlone) {
  const auto recorded = TraceWorkload::make({conversation(2, 100, 500)}, {});
  EXPECT_EQ(draw(*recorded, 1).turns[1].gap, std::chrono::seconds(120));
  TraceSettings settings;
  settings.autonomous_gaps = true;
  const auto alone = TraceWorkload::make({conversation(200, 100, 500)}, settings);
  double sum = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (const TurnPlan& turn : draw(*alone, i).turns) sum += to_seconds(turn.gap);
  }
  EXPECT_NEAR(sum / 20'000, 2.89, 0.2);
  EXPECT_NEAR(autonomous_gap(0.5), 0.05, 1e-9);
  EXPECT_DOUBLE_EQ(autonomous_gap(1), 120);
}

TEST(TraceWorkload, RequestsWithoutASessionComeInTheirOrder) {
  Conversations plans;
  for (std::uint64_t i = 0; i < 5; ++i) {
    plans.push_back(conversation(1, 100));
    plans.back().named = false;
    plans.back().content = {i};
  }
  const auto workload = TraceWorkload::make(std::move(plans), {});
  EXPECT_EQ(workload->shared_tokens(), 0U);
  Random random(1);
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(workload->draw({i, 7, true}, random).content.front(), (7 + i) % 5);
  }
}

TEST(TraceWorkload, ASessionAloneTakesItsPausesPromptsAndOutput) {
  const auto workload = TraceWorkload::make({conversation(2, 15'000, 30)}, {});
  engine::StepTime step;
  step.base = 1;
  step.prefill_token = 0.1;
  step.decode_seq = step.decode_context_token = step.attention = 0;
  // First turn: nothing new but the step itself. Second: kept 0 of 15,001 tokens. Twenty output
  // tokens at a second each, a pause of thirty.
  EXPECT_NEAR(workload->mean_session_seconds(step), 1 + 1 + 1'500.1 + 20 + 30, 1e-6);
}

}  // namespace
}  // namespace berth::sim
