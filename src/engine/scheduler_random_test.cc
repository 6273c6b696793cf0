// Random requests, aborts and steps on small caches, and after every step: no block is lost, none
// is used twice, and hits keep to the rule. (prefix_cache_random_test.cc has the exact contents.)
//
// BERTH_ENGINE_STEPS sets the number of steps (20,000 if unset); ./test soak runs a million
// under AddressSanitizer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>

#include "engine/rank.h"
#include "engine/request_for_test.h"

namespace berth::engine {
namespace {

std::uint64_t steps_to_run() {
  const char* set = std::getenv("BERTH_ENGINE_STEPS");
  return set == nullptr ? 20'000 : std::strtoull(set, nullptr, 10);
}

ServerSpec random_spec(std::mt19937_64& random) {
  const auto pick = [&](std::uint32_t from, std::uint32_t to) {
    return from + static_cast<std::uint32_t>(random() % (to - from + 1));
  };
  ServerSpec spec;
  spec.block_size = pick(1, 6);
  spec.kv_tokens = std::uint64_t{pick(6, 60)} * spec.block_size;
  spec.max_num_seqs = pick(1, 8);
  spec.max_num_batched_tokens = spec.max_num_seqs + pick(0, 30);
  spec.long_prefill_token_threshold = random() % 3 == 0 ? pick(1, 9) : 0;
  spec.reserve_full_input = random() % 2 == 0;
  spec.watermark = random() % 3 == 0 ? 0.1 : 0;
  spec.unhashed_first = random() % 2 == 0;
  spec.async_scheduling = random() % 2 == 0;
  return spec;
}

// Holds a rank to what must be true of it between steps.
class Checker {
 public:
  explicit Checker(const ServerSpec& spec) : spec_(spec) {}

  void check(const Rank& rank) {
    const Scheduler& scheduler = rank.scheduler();
    const BlockPool& pool = scheduler.pool();
    std::vector<std::uint32_t> holders(pool.usable() + 1);
    for (const Sequence* sequence : scheduler.running()) check_running(*sequence, pool, holders);
    for (const Sequence* sequence : scheduler.waiting()) {
      ASSERT_TRUE(sequence->blocks.empty());
      ASSERT_EQ(sequence->computed, 0u);
    }
    check_blocks(pool, holders);
    ASSERT_LE(scheduler.running().size(), spec_.max_num_seqs);
  }

 private:
  void check_running(const Sequence& sequence, const BlockPool& pool,
                     std::vector<std::uint32_t>& holders) {
    const std::uint32_t size = spec_.block_size;
    ASSERT_EQ(sequence.blocks.size(), (sequence.computed + size - 1) / size)
        << "exactly what its computed tokens need";
    ASSERT_LE(sequence.computed, sequence.known_tokens() + sequence.expected);
    ASSERT_LE(sequence.expected, 2u);
    for (std::size_t i = 0; i < sequence.blocks.size(); ++i) {
      const BlockId block = sequence.blocks[i];
      ASSERT_NE(block, kNoBlock);
      ASSERT_LE(block, pool.usable());
      // Every second holder of a block must have it in the same place of the same content.
      const auto [held, is_first] = content_.try_emplace(block, sequence.request.blocks, i);
      if (!is_first) {
        ASSERT_EQ((*held->second.first)[held->second.second], (*sequence.request.blocks)[i]);
        ASSERT_TRUE(pool.index().holds_hash(block)) << "only hashed blocks are shared";
      }
      ++holders[block];
    }
  }

  void check_blocks(const BlockPool& pool, const std::vector<std::uint32_t>& holders) {
    content_.clear();
    std::vector<bool> is_free(pool.usable() + 1);
    const std::vector<BlockId> order = pool.queue().order();
    ASSERT_EQ(order.size(), pool.free_blocks());
    for (const BlockId block : order) {
      ASSERT_FALSE(is_free[block]) << "twice in the free queue";
      is_free[block] = true;
    }
    std::uint32_t hashed = 0;
    for (BlockId block = 1; block <= pool.usable(); ++block) {
      ASSERT_EQ(pool.holders(block), holders[block]);
      ASSERT_EQ(is_free[block], holders[block] == 0);
      if (pool.index().holds_hash(block)) ++hashed;
    }
    ASSERT_EQ(hashed, pool.cached());
  }

  ServerSpec spec_;
  std::map<BlockId, std::pair<BlockHashes, std::size_t>> content_;
};

// One rank under random load.
class Play {
 public:
  Play(const ServerSpec& spec, std::mt19937_64& random)
      : spec_(spec), random_(random), rank_(spec, nullptr), checker_(spec) {}

  void run(std::uint64_t steps) {
    while (rank_.stats().steps < steps && !::testing::Test::HasFatalFailure()) act();
    while (rank_.step_end() && !::testing::Test::HasFatalFailure()) finish_step();
    EXPECT_TRUE(open_.empty()) << "everybody is served in the end";
    EXPECT_EQ(rank_.scheduler().pool().referenced(), 0u);
    EXPECT_EQ(rank_.stats().finished + rank_.stats().aborted, next_id_);
  }
  RankStats stats() const { return rank_.stats(); }

 private:
  void act() {
    while (random_() % 3 == 0 && open_.size() < 12) submit();
    if (random_() % 40 == 0 && !open_.empty()) {
      const auto victim =
          std::next(open_.begin(), static_cast<std::ptrdiff_t>(random_() % open_.size()));
      EXPECT_TRUE(rank_.abort(victim->first));
      open_.erase(victim);
      checker_.check(rank_);
    }
    if (rank_.step_end()) finish_step();
  }

  void submit() {
    const auto room = static_cast<std::uint32_t>(max_request_tokens(spec_));
    const auto output = static_cast<std::uint32_t>(random_() % std::min(room, 30u));
    const auto prompt = 1 + static_cast<std::uint32_t>(random_() % (room - output));
    EngineRequest request =
        stream_request(next_id_, random_() % 4, prompt, output, spec_.block_size);
    request.every_token = random_() % 2 == 0;
    if (random_() % 2 == 0) request.max_tokens = output + static_cast<std::uint32_t>(random_() % 9);
    open_.emplace(next_id_++, request);
    rank_.submit(std::move(request), now_);
    checker_.check(rank_);
  }

  void finish_step() {
    now_ = *rank_.step_end();
    events_.clear();
    rank_.finish_step(events_);
    for (const Event& event : events_) take(event);
    checker_.check(rank_);
  }

  void take(const Event& event) {
    const auto found = open_.find(event.id);
    ASSERT_NE(found, open_.end()) << "an event of a request that is over";
    const EngineRequest& request = found->second;
    ASSERT_EQ(event.cached_tokens % spec_.block_size, 0u);
    ASSERT_LE(event.cached_tokens,
              (request.prompt_tokens - 1) / spec_.block_size * spec_.block_size);
    if (event.kind == EventKind::kToken) {
      ASSERT_TRUE(request.every_token || event.index == 0);
      ASSERT_LT(event.index, request.output_tokens);
      return;
    }
    ASSERT_EQ(event.index, request.output_tokens);
    open_.erase(found);
  }

  ServerSpec spec_;
  std::mt19937_64& random_;
  Rank rank_;
  Checker checker_;
  Instant now_{};
  RequestId next_id_ = 0;
  std::map<RequestId, EngineRequest> open_;
  std::vector<Event> events_;
};

TEST(SchedulerProperties, HoldAfterEveryStep) {
  constexpr std::uint64_t kStepsOfOne = 2'000;
  std::mt19937_64 random(20'261'201);
  const std::uint64_t rounds = steps_to_run() / kStepsOfOne;
  RankStats seen;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const ServerSpec spec = random_spec(random);
    SCOPED_TRACE("round " + std::to_string(round));
    Play play(spec, random);
    play.run(kStepsOfOne);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
    seen.preemptions += play.stats().preemptions;
    seen.recomputed_tokens += play.stats().recomputed_tokens;
    seen.evicted_blocks += play.stats().evicted_blocks;
    seen.prefix_hits += play.stats().prefix_hits;
  }
  EXPECT_GT(seen.preemptions, 100u) << "else the load is too light to prove anything";
  EXPECT_GT(seen.recomputed_tokens, 100u);
  EXPECT_GT(seen.evicted_blocks, 100u);
  EXPECT_GT(seen.prefix_hits, 100u);
}

}  // namespace
}  // namespace berth::engine
