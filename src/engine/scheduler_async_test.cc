// Asynchronous scheduling: two steps in hand.
#include <gtest/gtest.h>

#include "engine/rank.h"
#include "engine/request_for_test.h"
#include "engine/scheduler.h"

namespace berth::engine {
namespace {

constexpr std::uint32_t kBlock = 4;
constexpr Instant kNow{std::chrono::seconds(1)};

ServerSpec spec_of(std::uint32_t usable_blocks, bool async = true) {
  ServerSpec spec;
  spec.block_size = kBlock;
  spec.kv_tokens = (usable_blocks + 1) * kBlock;
  spec.max_num_seqs = 8;
  spec.max_num_batched_tokens = 64;
  spec.async_scheduling = async;
  // 10 ms a step and 1 ms a prompt token.
  spec.step = {.base = 0.010,
               .prefill_token = 0.001,
               .decode_seq = 0,
               .decode_context_token = 0,
               .attention = 0};
  return spec;
}

// Tokens a plan computes of each request.
std::vector<std::pair<RequestId, std::uint32_t>> chunks(const PlannedStep& step) {
  std::vector<std::pair<RequestId, std::uint32_t>> out;
  for (const PlannedChunk& chunk : step.chunks) {
    out.emplace_back(chunk.sequence->request.id, chunk.tokens);
  }
  return out;
}
using Plan = std::vector<std::pair<RequestId, std::uint32_t>>;

TEST(AsyncScheduling, ADecodeIsPlannedBeforeItsTokenIsBack) {
  Scheduler scheduler(spec_of(20), nullptr);
  scheduler.enqueue(stream_request(1, 1, 8, 3, kBlock));
  PlannedStep one, two, three, four;
  std::vector<Event> events;
  scheduler.plan(one, kNow);
  EXPECT_EQ(chunks(one), (Plan{{1, 8}}));
  scheduler.plan(two, kNow);
  EXPECT_EQ(chunks(two), (Plan{{1, 1}}));
  EXPECT_EQ(two.load.decode_seqs, 1u);
  EXPECT_EQ(two.load.decode_context, 8u);
  scheduler.finish(one, kNow, events);
  EXPECT_EQ(events.size(), 1u);
  scheduler.plan(three, kNow);
  EXPECT_EQ(chunks(three), (Plan{{1, 1}}));
  scheduler.finish(two, kNow, events);
  // The end at max_tokens is foreseen.
  scheduler.plan(four, kNow);
  EXPECT_EQ(chunks(four), Plan{});
  scheduler.finish(three, kNow, events);
  EXPECT_EQ(events.back().kind, EventKind::kFinished);
  EXPECT_EQ(scheduler.pool().referenced(), 0u);
}

TEST(AsyncScheduling, AnEndThatIsNotForeseenIsSeenOneStepLate) {
  Scheduler scheduler(spec_of(20), nullptr);
  EngineRequest request = stream_request(1, 1, 8, 2, kBlock);
  request.max_tokens = 100;
  scheduler.enqueue(std::move(request));
  PlannedStep one, two, three;
  std::vector<Event> events;
  scheduler.plan(one, kNow);
  scheduler.plan(two, kNow);
  scheduler.finish(one, kNow, events);
  scheduler.plan(three, kNow);
  EXPECT_EQ(chunks(three), (Plan{{1, 1}})) << "one decode too many";
  scheduler.finish(two, kNow, events);
  ASSERT_EQ(events.back().kind, EventKind::kFinished);
  EXPECT_EQ(scheduler.pool().referenced(), 0u);
  const std::size_t told = events.size();
  scheduler.finish(three, kNow, events);
  EXPECT_EQ(events.size(), told) << "thrown away";
  EXPECT_EQ(scheduler.stats().generation_tokens, 2u);
  EXPECT_EQ(scheduler.stats().decode_tokens, 2u);
}

TEST(AsyncScheduling, ABlockOfOutputCanBeHitOnceItsTokensAreBack) {
  for (const bool async : {false, true}) {
    Scheduler scheduler(spec_of(20, async), nullptr);
    scheduler.enqueue(stream_request(1, 1, 3, 20, kBlock));
    PlannedStep one, two, three;
    std::vector<Event> events;
    scheduler.plan(one, kNow);
    if (!async) scheduler.finish(one, kNow, events);
    // Computes the fourth token, which fills the block. Without async its id is known by now.
    scheduler.plan(two, kNow);
    EXPECT_EQ(scheduler.pool().cached(), async ? 0u : 1u);
    if (!async) continue;
    scheduler.finish(one, kNow, events);
    EXPECT_EQ(scheduler.pool().cached(), 0u);
    scheduler.plan(three, kNow);
    EXPECT_EQ(scheduler.pool().cached(), 1u);
  }
}

TEST(AsyncScheduling, TheLastOutputBlockIsKeptAtTheEnd) {
  Scheduler scheduler(spec_of(20), nullptr);
  scheduler.enqueue(stream_request(1, 1, 3, 6, kBlock));  // 8 of 9 tokens are computed
  PlannedStep steps[2];
  std::vector<Event> events;
  scheduler.plan(steps[0], kNow);
  for (int i = 0; i < 6; ++i) {
    scheduler.plan(steps[(i + 1) % 2], kNow);
    scheduler.finish(steps[i % 2], kNow, events);
  }
  ASSERT_EQ(events.back().kind, EventKind::kFinished);
  EXPECT_EQ(scheduler.pool().cached(), 2u);
}

TEST(AsyncScheduling, APreemptedRequestStillGetsTheTokenUnderWay) {
  Scheduler scheduler(spec_of(6), nullptr);
  scheduler.enqueue(stream_request(1, 1, 8, 12, kBlock));
  scheduler.enqueue(stream_request(2, 2, 8, 12, kBlock));
  PlannedStep steps[2];
  std::vector<Event> events;
  std::size_t at = 0;
  scheduler.plan(steps[0], kNow);
  while (scheduler.stats().preemptions == 0) {
    scheduler.plan(steps[(at + 1) % 2], kNow);
    if (scheduler.stats().preemptions == 0) scheduler.finish(steps[at++ % 2], kNow, events);
  }
  const Sequence* victim = scheduler.waiting().front();
  ASSERT_EQ(victim->request.id, 2u);
  EXPECT_EQ(victim->expected, 1u);
  EXPECT_EQ(victim->computed, 0u);
  const std::uint32_t had = victim->produced;
  scheduler.finish(steps[at % 2], kNow, events);
  EXPECT_EQ(victim->produced, had + 1);
  EXPECT_EQ(victim->expected, 0u);
  EXPECT_TRUE(victim->blocks.empty());
}

TEST(AsyncScheduling, ARequestPreemptedWithItsLastTokenUnderWayEnds) {
  Scheduler scheduler(spec_of(6), nullptr);
  // Both need a fourth block when 12 tokens are computed; the second's fifth token is its last.
  scheduler.enqueue(stream_request(1, 1, 8, 12, kBlock));
  EngineRequest second = stream_request(2, 2, 8, 5, kBlock);
  second.max_tokens = 50;
  scheduler.enqueue(std::move(second));
  PlannedStep steps[2];
  std::vector<Event> events;
  scheduler.plan(steps[0], kNow);
  for (std::size_t at = 0; at < 6; ++at) {
    scheduler.plan(steps[(at + 1) % 2], kNow);
    scheduler.finish(steps[at % 2], kNow, events);
  }
  EXPECT_EQ(scheduler.stats().preemptions, 1u);
  EXPECT_TRUE(scheduler.waiting().empty());
  EXPECT_EQ(scheduler.stats().finished, 1u);
}

// When the second request's first token comes, in ms, if it arrives while the first decodes.
std::int64_t second_token_ms(bool async) {
  Rank rank(spec_of(100, async), nullptr);
  std::vector<Event> events;
  rank.submit(stream_request(1, 1, 50, 50, kBlock), Instant{});
  EXPECT_EQ(*rank.step_end(), Instant(std::chrono::milliseconds(60)));
  rank.finish_step(events);
  EXPECT_EQ(*rank.step_end(), Instant(std::chrono::milliseconds(70)));
  rank.submit(stream_request(2, 2, 20, 1, kBlock), Instant(std::chrono::milliseconds(65)));
  while (events.back().id != 2) rank.finish_step(events);
  return std::chrono::duration_cast<std::chrono::milliseconds>(events.back().at - Instant{})
      .count();
}

TEST(AsyncScheduling, ARequestThatComesDuringAStepWaitsOneStepLonger) {
  // The step under way ends at 70; a step with the prompt takes 30 ms.
  EXPECT_EQ(second_token_ms(false), 100);
  // From 70 to 80 runs the step that was planned at 60.
  EXPECT_EQ(second_token_ms(true), 110);
}

TEST(Rank, AnIdleRankBeginsAtOnceAndComesToRest) {
  for (const bool async : {false, true}) {
    Rank rank(spec_of(100, async), nullptr);
    std::vector<Event> events;
    EXPECT_FALSE(rank.step_end().has_value());
    rank.submit(stream_request(1, 1, 50, 2, kBlock), Instant{});
    EXPECT_EQ(rank.stats().running, 1u);
    rank.finish_step(events);
    rank.finish_step(events);
    EXPECT_FALSE(rank.step_end().has_value()) << async;
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[1].at, Instant(std::chrono::milliseconds(70)));
    EXPECT_EQ(events[2].at, events[1].at);
    const RankStats stats = rank.stats();
    EXPECT_EQ(stats.steps, 2u);
    EXPECT_DOUBLE_EQ(stats.base_seconds, 0.020);
    EXPECT_DOUBLE_EQ(stats.prefill_seconds, 0.050);
    EXPECT_DOUBLE_EQ(stats.decode_seconds, 0);
  }
}

TEST(Rank, TheStepsOfAnAbortedRequestRunToTheirEnd) {
  Rank rank(spec_of(100), nullptr);
  std::vector<Event> events;
  rank.submit(stream_request(1, 1, 50, 20, kBlock), Instant{});
  EXPECT_TRUE(rank.abort(1));
  EXPECT_EQ(rank.stats().kv_usage, 0);
  while (rank.step_end()) rank.finish_step(events);
  EXPECT_TRUE(events.empty());
  EXPECT_EQ(rank.stats().steps, 2u);
}

TEST(Rank, TimeInWhichTheQueueIsBlockedIsCountedByItsCause) {
  ServerSpec spec = spec_of(10, false);
  Rank rank(spec, nullptr);
  std::vector<Event> events;
  rank.submit(stream_request(1, 1, 24, 2, kBlock), Instant{});  // a step of 34 ms, one of 10
  rank.submit(stream_request(2, 2, 24, 1, kBlock), Instant{});
  while (rank.step_end()) rank.finish_step(events);
  // The second came when the first step had been planned.
  EXPECT_DOUBLE_EQ(rank.stats().kv_blocked_seconds, 0.010);
  EXPECT_DOUBLE_EQ(rank.stats().seqs_blocked_seconds, 0);
  EXPECT_DOUBLE_EQ(rank.stats().budget_blocked_seconds, 0);
}

}  // namespace
}  // namespace berth::engine
