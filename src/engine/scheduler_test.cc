#include "engine/scheduler.h"

#include <gtest/gtest.h>

#include <utility>

#include "engine/request_for_test.h"

namespace berth::engine {
namespace {

constexpr std::uint32_t kBlock = 4;
constexpr Instant kNow{std::chrono::seconds(1)};

ServerSpec spec_of(std::uint32_t usable_blocks) {
  ServerSpec spec;
  spec.block_size = kBlock;
  spec.kv_tokens = (usable_blocks + 1) * kBlock;
  spec.max_num_seqs = 8;
  spec.max_num_batched_tokens = 64;
  spec.async_scheduling = false;
  return spec;
}

// A step at a time: each is planned, looked at, and finished.
struct Driven {
  explicit Driven(const ServerSpec& spec) : scheduler(spec, nullptr) {}

  void enqueue(RequestId id, std::uint32_t prompt, std::uint32_t output, std::uint64_t stream = 0) {
    scheduler.enqueue(stream_request(id, stream == 0 ? id : stream, prompt, output, kBlock));
  }
  using Plan = std::vector<std::pair<RequestId, std::uint32_t>>;
  // Plans a step and finishes it; what it computed, by request.
  Plan step() {
    scheduler.plan(planned, kNow);
    Plan plan;
    for (const PlannedChunk& chunk : planned.chunks) {
      plan.emplace_back(chunk.sequence->request.id, chunk.tokens);
    }
    scheduler.finish(planned, kNow, events);
    return plan;
  }
  std::vector<RequestId> waiting() const {
    std::vector<RequestId> ids;
    for (const Sequence* sequence : scheduler.waiting()) ids.push_back(sequence->request.id);
    return ids;
  }
  std::vector<RequestId> running() const {
    std::vector<RequestId> ids;
    for (const Sequence* sequence : scheduler.running()) ids.push_back(sequence->request.id);
    return ids;
  }
  std::vector<BlockId> blocks_of(RequestId id) const {
    for (const Sequence* sequence : scheduler.running()) {
      if (sequence->request.id == id) return sequence->blocks;
    }
    return {};
  }

  Scheduler scheduler;
  PlannedStep planned;
  std::vector<Event> events;
};

using Plan = Driven::Plan;
using Ids = std::vector<RequestId>;
using Blocks = std::vector<BlockId>;

TEST(Scheduler, RunningSequencesComeFirstAndAPromptIsCutToTheBudget) {
  ServerSpec spec = spec_of(100);
  spec.max_num_batched_tokens = 8;
  Driven run(spec);
  run.enqueue(1, 12, 3);
  run.enqueue(2, 6, 2);
  run.enqueue(3, 2, 2);
  EXPECT_EQ(run.step(), (Plan{{1, 8}}));
  EXPECT_EQ(run.planned.blocked, Blocked::kBudget);
  EXPECT_EQ(run.step(), (Plan{{1, 4}, {2, 4}}));
  EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 2}, {3, 2}}));
  EXPECT_EQ(run.planned.blocked, Blocked::kNobody);
  EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 1}, {3, 1}}));
  EXPECT_EQ(run.step(), Plan{});
  const RankStats stats = run.scheduler.stats();
  EXPECT_EQ(stats.finished, 3u);
  EXPECT_EQ(stats.generation_tokens, 7u);
  EXPECT_EQ(stats.prefill_tokens, 20u);
  EXPECT_EQ(stats.decode_tokens, 4u);
}

TEST(Scheduler, ALongPromptMayBeHeldToAThreshold) {
  ServerSpec spec = spec_of(100);
  spec.long_prefill_token_threshold = 5;
  Driven run(spec);
  run.enqueue(1, 12, 1);
  run.enqueue(2, 3, 1);
  EXPECT_EQ(run.step(), (Plan{{1, 5}, {2, 3}}));
  EXPECT_EQ(run.step(), (Plan{{1, 5}}));
  EXPECT_EQ(run.step(), (Plan{{1, 2}}));
}

TEST(Scheduler, TheLoadTellsPromptsFromDecodes) {
  Driven run(spec_of(100));
  run.enqueue(1, 10, 3);
  run.step();
  EXPECT_EQ(run.planned.load.prefill_tokens, 10u);
  EXPECT_DOUBLE_EQ(run.planned.load.attention, 10 * 5.0);
  EXPECT_EQ(run.planned.load.decode_seqs, 0u);
  run.enqueue(2, 12, 1, 1);  // finds two blocks of the first
  run.step();
  EXPECT_EQ(run.planned.load.decode_seqs, 1u);
  EXPECT_EQ(run.planned.load.decode_context, 10u);
  EXPECT_EQ(run.planned.load.prefill_tokens, 4u);
  EXPECT_DOUBLE_EQ(run.planned.load.attention, 4 * (8 + 2.0));
}

TEST(Scheduler, MaxNumSeqsBoundsTheRunning) {
  ServerSpec spec = spec_of(100);
  spec.max_num_seqs = 2;
  Driven run(spec);
  for (RequestId id = 1; id <= 4; ++id) run.enqueue(id, 4, 2);
  EXPECT_EQ(run.step(), (Plan{{1, 4}, {2, 4}}));
  EXPECT_EQ(run.planned.blocked, Blocked::kSeqs);
  EXPECT_EQ(run.waiting(), (Ids{3, 4}));
  run.step();
  EXPECT_EQ(run.step(), (Plan{{3, 4}, {4, 4}}));
}

TEST(Scheduler, EverybodyWaitsBehindAHeadThatDoesNotFit) {
  Driven run(spec_of(10));
  run.enqueue(1, 24, 2);  // 6 blocks, later 7
  run.enqueue(2, 24, 1);
  run.enqueue(3, 4, 1);  // would fit
  EXPECT_EQ(run.step(), (Plan{{1, 24}}));
  EXPECT_EQ(run.planned.blocked, Blocked::kKv);
  EXPECT_EQ(run.waiting(), (Ids{2, 3}));
  EXPECT_EQ(run.step(), (Plan{{1, 1}}));
  EXPECT_EQ(run.step(), (Plan{{2, 24}, {3, 4}}));
  EXPECT_EQ(run.scheduler.stats().preemptions, 0u);
}

TEST(Scheduler, ARequestCanHitWhatAnotherComputesInTheSameStep) {
  Driven run(spec_of(20));
  run.enqueue(1, 10, 2);
  run.enqueue(2, 10, 2, 1);
  EXPECT_EQ(run.step(), (Plan{{1, 10}, {2, 2}}));
  EXPECT_EQ(run.blocks_of(2), (Blocks{1, 2, 4}));
  const RankStats stats = run.scheduler.stats();
  EXPECT_EQ(stats.prefix_queries, 20u);
  EXPECT_EQ(stats.prefix_hits, 8u);
  EXPECT_EQ(stats.prompt_cached, 8u);
  EXPECT_EQ(run.events[1].cached_tokens, 8u);
}

TEST(Scheduler, PromptsAdmittedInOneStepMayTogetherAskForTooMuch) {
  ServerSpec spec = spec_of(10);
  spec.long_prefill_token_threshold = 4;
  Driven run(spec);
  run.enqueue(1, 24, 1);  // 6 blocks each: the gate sees the free blocks of the moment
  run.enqueue(2, 24, 1);
  EXPECT_EQ(run.step(), (Plan{{1, 4}, {2, 4}}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run.step(), (Plan{{1, 4}, {2, 4}}));
  EXPECT_EQ(run.scheduler.pool().free_blocks(), 0u);
  EXPECT_EQ(run.step(), (Plan{{1, 4}}));
  EXPECT_EQ(run.planned.blocked, Blocked::kKv);
  EXPECT_EQ(run.scheduler.stats().preemptions, 1u);
}

// Two sequences of 8 prompt tokens in 6 blocks. Both have grown to three blocks when the first
// needs a fourth.
struct Preemption : ::testing::Test {
  Preemption() : run(spec_of(6)) {
    run.enqueue(1, 8, 6);
    run.enqueue(2, 8, 12);
    EXPECT_EQ(run.step(), (Plan{{1, 8}, {2, 8}}));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 1}}));
    EXPECT_EQ(run.blocks_of(1), (Blocks{1, 2, 5}));
    EXPECT_EQ(run.blocks_of(2), (Blocks{3, 4, 6}));
  }
  Driven run;
};

TEST_F(Preemption, TakesTheLastOfTheListAndLetsNobodyInDuringThatStep) {
  EXPECT_EQ(run.step(), (Plan{{1, 1}}));
  EXPECT_EQ(run.planned.blocked, Blocked::kKv);
  EXPECT_EQ(run.waiting(), (Ids{2}));
  EXPECT_EQ(run.scheduler.stats().preemptions, 1u);
  EXPECT_EQ(run.scheduler.stats().evicted_blocks, 1u) << "the tail of the second, for the first";
}

TEST_F(Preemption, TheVictimFindsItsOwnBlocksAgain) {
  run.step();  // preempts; the first ends with its sixth token
  EXPECT_EQ(run.events.back().kind, EventKind::kFinished);
  // Free: block 6 (taken from the second, not full when the first ended), the second's 4 and 3,
  // the first's 5, 2 and 1.
  EXPECT_EQ(run.scheduler.pool().queue().order(), (Blocks{6, 4, 3, 5, 2, 1}));
  // 13 tokens are known; blocks 3 and 4 hold the first 8.
  EXPECT_EQ(run.step(), (Plan{{2, 5}}));
  EXPECT_EQ(run.blocks_of(2), (Blocks{3, 4, 6, 5}));
  const RankStats stats = run.scheduler.stats();
  EXPECT_EQ(stats.recomputed_tokens, 4u) << "12 had been computed";
  EXPECT_EQ(stats.prefix_queries, 16u) << "its return is no query";
  EXPECT_EQ(stats.prefix_attempt_queries, 16u);
  for (int i = 0; i < 6; ++i) run.step();
  const Event& last = run.events.back();
  EXPECT_EQ(last.kind, EventKind::kFinished);
  EXPECT_EQ(last.id, 2u);
  EXPECT_EQ(last.index, 12u);
  EXPECT_EQ(last.preemptions, 1u);
  EXPECT_EQ(last.recomputed_tokens, 4u);
  EXPECT_EQ(last.cached_tokens, 0u) << "of the first admission";
  EXPECT_EQ(run.scheduler.pool().referenced(), 0u);
}

TEST(Scheduler, VictimsQueueInTheOrderTheyRan) {
  Driven run(spec_of(6));
  run.enqueue(1, 8, 20);
  run.enqueue(2, 7, 9);
  run.enqueue(3, 7, 9);
  run.enqueue(4, 3, 1);
  // 2 blocks each; the fourth does not fit.
  EXPECT_EQ(run.step(), (Plan{{1, 8}, {2, 7}, {3, 7}}));
  // The first needs a third block: 3 goes. 2 fills its second block.
  EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 1}}));
  EXPECT_EQ(run.waiting(), (Ids{3, 4}));
  // 2 needs a third: one of 3's is left for it. Then the head, 3, does not fit.
  EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 1}}));
  EXPECT_EQ(run.scheduler.pool().free_blocks(), 0u);
  EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 1}}));
  EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 1}}));  // 12 and 11 computed
  EXPECT_EQ(run.step(), (Plan{{1, 1}}));          // 2 goes for the first's fourth block
  EXPECT_EQ(run.waiting(), (Ids{2, 3, 4}));
}

TEST(Scheduler, ASequenceThatIsItselfTheLastGoesItself) {
  Driven run(spec_of(4));
  run.enqueue(1, 7, 3);
  run.enqueue(2, 8, 8);
  EXPECT_EQ(run.step(), (Plan{{1, 7}, {2, 8}}));
  EXPECT_EQ(run.step(), (Plan{{1, 1}}));
  EXPECT_EQ(run.running(), (Ids{1}));
  EXPECT_EQ(run.waiting(), (Ids{2}));
  EXPECT_EQ(run.events.back().id, 1u);
}

// A sequence that can hit nothing of its own, preempted three times, each time earlier.
TEST(Scheduler, TokensAreRecomputedAsOftenAsTheyAreLost) {
  ServerSpec spec = spec_of(8);
  spec.long_prefill_token_threshold = 4;
  spec.reserve_full_input = false;
  Driven run(spec);
  run.enqueue(1, 4, 28);
  EngineRequest second = stream_request(2, 2, 16, 16, kBlock);
  second.blocks = nullptr;
  run.scheduler.enqueue(std::move(second));
  EXPECT_EQ(run.step(), (Plan{{1, 4}, {2, 4}}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 4}}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 1}}));
  EXPECT_EQ(run.step(), (Plan{{1, 1}})) << "3 and 5 blocks; the second, 20 tokens in, goes";
  EXPECT_EQ(run.scheduler.stats().recomputed_tokens, 0u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 4}}));
  EXPECT_EQ(run.scheduler.stats().recomputed_tokens, 16u);
  EXPECT_EQ(run.step(), (Plan{{1, 1}})) << "4 and 4 blocks";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run.step(), (Plan{{1, 1}, {2, 4}}));
  EXPECT_EQ(run.step(), (Plan{{1, 1}})) << "5 and 3 blocks";
  EXPECT_EQ(run.scheduler.stats().recomputed_tokens, 28u);
  EXPECT_EQ(run.scheduler.stats().preemptions, 3u);
}

TEST(Scheduler, OlderCountersSeeEveryAttempt) {
  Driven run(spec_of(10));
  run.enqueue(1, 24, 3);
  run.enqueue(2, 28, 1);
  run.step();
  run.step();
  run.step();  // the first ends
  run.step();
  const RankStats stats = run.scheduler.stats();
  EXPECT_EQ(stats.prefix_queries, 24u + 28u);
  EXPECT_EQ(stats.prefix_attempt_queries, 24u + 4 * 28u);
}

TEST(Scheduler, AbortFreesTheRunningAndForgetsTheWaiting) {
  Driven run(spec_of(10));
  run.enqueue(1, 24, 30);
  run.enqueue(2, 24, 1);
  run.enqueue(3, 24, 1);
  run.step();
  EXPECT_TRUE(run.scheduler.abort(2));
  EXPECT_EQ(run.waiting(), (Ids{3}));
  EXPECT_TRUE(run.scheduler.abort(1));
  EXPECT_FALSE(run.scheduler.abort(1));
  EXPECT_FALSE(run.scheduler.abort(99));
  EXPECT_EQ(run.scheduler.pool().referenced(), 0u);
  EXPECT_EQ(run.scheduler.pool().cached(), 6u) << "full blocks stay";
  EXPECT_EQ(run.step(), (Plan{{3, 24}}));
  EXPECT_EQ(run.scheduler.stats().aborted, 2u);
}

TEST(Scheduler, AnAbortedSequenceOfTheStepUnderWayGivesNothing) {
  Driven run(spec_of(10));
  run.enqueue(1, 8, 5);
  run.scheduler.plan(run.planned, kNow);
  EXPECT_TRUE(run.scheduler.abort(1));
  run.enqueue(2, 8, 1);  // must not get the aborted one's place before the step has ended
  run.scheduler.finish(run.planned, kNow, run.events);
  EXPECT_TRUE(run.events.empty());
  EXPECT_EQ(run.step(), (Plan{{2, 8}}));
}

TEST(Scheduler, APoolingRequestEndsWithItsPrompt) {
  ServerSpec spec = spec_of(10);
  spec.max_num_batched_tokens = 8;
  Driven run(spec);
  run.enqueue(1, 12, 0);
  EXPECT_EQ(run.step(), (Plan{{1, 8}}));
  EXPECT_TRUE(run.events.empty());
  EXPECT_EQ(run.step(), (Plan{{1, 4}}));
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kind, EventKind::kFinished);
  EXPECT_EQ(run.scheduler.stats().generation_tokens, 0u);
  EXPECT_EQ(run.scheduler.stats().prompt_tokens, 12u);
}

TEST(Scheduler, WithoutEveryTokenOnlyTheFirstAndTheEndAreTold) {
  Driven run(spec_of(10));
  EngineRequest request = stream_request(1, 1, 8, 5, kBlock);
  request.every_token = false;
  run.scheduler.enqueue(std::move(request));
  for (int i = 0; i < 5; ++i) run.step();
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_EQ(run.events[0].kind, EventKind::kToken);
  EXPECT_EQ(run.events[0].index, 0u);
  EXPECT_EQ(run.events[1].kind, EventKind::kFinished);
  EXPECT_EQ(run.events[1].index, 5u);
}

TEST(Scheduler, TheNextTurnHitsPromptAndOutput) {
  Driven run(spec_of(20));
  run.enqueue(1, 10, 7);  // 17 tokens, of which 16 are computed
  for (int i = 0; i < 7; ++i) run.step();
  run.enqueue(2, 20, 1, 1);
  EXPECT_EQ(run.step(), (Plan{{2, 4}}));
}

}  // namespace
}  // namespace berth::engine
