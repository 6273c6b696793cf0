#include "engine/prefix_cache.h"

#include <gtest/gtest.h>

#include "engine/request_for_test.h"

namespace berth::engine {
namespace {

constexpr std::uint32_t kBlock = 4;

ServerSpec spec_of(std::uint32_t usable_blocks) {
  ServerSpec spec;
  spec.block_size = kBlock;
  spec.kv_tokens = (usable_blocks + 1) * kBlock;
  return spec;
}

Sequence sequence_of(std::uint64_t stream, std::uint32_t prompt, std::uint32_t output = 1) {
  Sequence sequence;
  sequence.request = stream_request(1, stream, prompt, output, kBlock);
  return sequence;
}

// Computes the whole prompt.
void compute(PrefixCache& cache, Sequence& sequence) {
  const PrefixMatch& match = cache.match(sequence);
  cache.adopt(sequence, match);
  ASSERT_TRUE(cache.extend(sequence, sequence.request.prompt_tokens));
  cache.publish(sequence, sequence.request.prompt_tokens);
}

std::uint32_t hits(PrefixCache& cache, std::uint64_t stream, std::uint32_t prompt) {
  return cache.match(sequence_of(stream, prompt)).tokens;
}

TEST(PrefixCache, AHitIsOfFullBlocksAndShortOfTheLastToken) {
  PrefixCache cache(spec_of(20), nullptr);
  Sequence first = sequence_of(7, 14);  // three full blocks and two tokens
  compute(cache, first);
  EXPECT_EQ(hits(cache, 7, 14), 12u);
  EXPECT_EQ(hits(cache, 7, 13), 12u);
  EXPECT_EQ(hits(cache, 7, 12), 8u) << "floor((12 - 1) / 4) blocks";
  EXPECT_EQ(hits(cache, 7, 9), 8u);
  EXPECT_EQ(hits(cache, 7, 5), 4u);
  EXPECT_EQ(hits(cache, 7, 4), 0u);
  EXPECT_EQ(hits(cache, 7, 20), 12u) << "the fourth block was not full";
  EXPECT_EQ(hits(cache, 8, 14), 0u);
}

TEST(PrefixCache, ALookupStopsAtTheFirstMiss) {
  PrefixCache cache(spec_of(4), nullptr);
  Sequence first = sequence_of(7, 16);
  compute(cache, first);
  cache.release(first);
  Sequence second = sequence_of(9, 4);
  compute(cache, second);  // evicts the last block of the first
  EXPECT_EQ(hits(cache, 7, 17), 12u);
}

TEST(PrefixCache, WithoutHashesNothingIsFoundAndNothingKept) {
  PrefixCache cache(spec_of(20), nullptr);
  Sequence first = sequence_of(7, 14);
  first.request.blocks = nullptr;
  compute(cache, first);
  EXPECT_EQ(cache.pool().referenced(), 4u);
  EXPECT_EQ(cache.pool().cached(), 0u);
  EXPECT_EQ(hits(cache, 7, 14), 0u);
}

TEST(PrefixCache, ExtendTakesWhatIsMissingOrNothing) {
  PrefixCache cache(spec_of(5), nullptr);
  Sequence sequence = sequence_of(7, 40);
  EXPECT_TRUE(cache.extend(sequence, 9));
  EXPECT_EQ(sequence.blocks.size(), 3u);
  EXPECT_TRUE(cache.extend(sequence, 12)) << "they are there already";
  EXPECT_EQ(cache.pool().free_blocks(), 2u);
  EXPECT_FALSE(cache.extend(sequence, 21));
  EXPECT_EQ(sequence.blocks.size(), 3u);
  EXPECT_TRUE(cache.extend(sequence, 20));
  EXPECT_EQ(cache.pool().free_blocks(), 0u);
}

bool admits(PrefixCache& cache, const Sequence& sequence, std::uint32_t chunk, bool others) {
  const PrefixMatch& match = cache.match(sequence);
  return cache.admits(sequence, match, chunk, others);
}

TEST(Admission, TheWholeInputMustFit) {
  PrefixCache cache(spec_of(10), nullptr);
  Sequence other = sequence_of(1, 16);
  compute(cache, other);  // 4 of 10 blocks
  EXPECT_TRUE(admits(cache, sequence_of(2, 24), 8, true)) << "6 blocks";
  EXPECT_FALSE(admits(cache, sequence_of(2, 25), 8, true)) << "7 blocks";
}

TEST(Admission, OrItsFirstChunkWhereTheInputIsNotReserved) {
  ServerSpec spec = spec_of(10);
  spec.reserve_full_input = false;
  PrefixCache cache(spec, nullptr);
  Sequence other = sequence_of(1, 16);
  compute(cache, other);
  EXPECT_TRUE(admits(cache, sequence_of(2, 400), 24, true));
  EXPECT_FALSE(admits(cache, sequence_of(2, 400), 25, true));
}

TEST(Admission, HitsThatNobodyHoldsTakeRoomThoseThatAreHeldDoNot) {
  PrefixCache cache(spec_of(10), nullptr);
  Sequence first = sequence_of(7, 16);
  compute(cache, first);
  // Held: 10 blocks asked, 4 found, 6 free.
  EXPECT_TRUE(admits(cache, sequence_of(7, 40), 24, true));
  EXPECT_FALSE(admits(cache, sequence_of(7, 41), 24, true));
  Sequence other = sequence_of(8, 8);
  compute(cache, other);
  cache.release(first);
  // In the free queue: 8 free, 4 of them are the hits. 8 - 4 + 4 fits, 9 - 4 + 4 does not.
  EXPECT_TRUE(admits(cache, sequence_of(7, 32), 16, true));
  EXPECT_FALSE(admits(cache, sequence_of(7, 33), 16, true));
}

TEST(Admission, TheOutputIsNotReserved) {
  PrefixCache cache(spec_of(10), nullptr);
  EXPECT_TRUE(admits(cache, sequence_of(2, 40, 1'000), 40, false));
}

TEST(Admission, AWatermarkIsLeftFreeWhileOthersRun) {
  ServerSpec spec = spec_of(19);
  spec.watermark = 0.15;  // of 20 blocks: 3
  PrefixCache cache(spec, nullptr);
  EXPECT_TRUE(admits(cache, sequence_of(2, 16 * kBlock), 8, true));
  EXPECT_FALSE(admits(cache, sequence_of(2, 16 * kBlock + 1), 8, true));
  EXPECT_TRUE(admits(cache, sequence_of(2, 19 * kBlock), 8, false));
}

TEST(KeptMatch, IsTheSameAsANewOneWhateverHappens) {
  PrefixCache cache(spec_of(12), nullptr);
  Sequence first = sequence_of(7, 16);
  compute(cache, first);
  const Sequence head = sequence_of(7, 40);
  const auto looked_up = [&] {
    const PrefixMatch match = cache.match(head);
    cache.keep_match(head);
    return std::pair(match.blocks.size(), match.unheld);
  };
  using Found = std::pair<std::size_t, std::uint32_t>;
  EXPECT_EQ(looked_up(), Found(4, 0));
  EXPECT_EQ(looked_up(), Found(4, 0));
  cache.release(first);
  EXPECT_EQ(looked_up(), Found(4, 4)) << "released";
  Sequence longer = sequence_of(7, 24);
  compute(cache, longer);
  EXPECT_EQ(looked_up(), Found(6, 0)) << "published";
  cache.release(longer);
  Sequence other = sequence_of(9, 32);
  compute(cache, other);
  EXPECT_EQ(looked_up(), Found(4, 4)) << "evicted";
}

TEST(KeptMatch, IsNotForASequenceThatKnowsMoreTokens) {
  PrefixCache cache(spec_of(12), nullptr);
  Sequence first = sequence_of(7, 12);
  compute(cache, first);
  Sequence head = sequence_of(7, 12);
  EXPECT_EQ(cache.match(head).tokens, 8u);
  cache.keep_match(head);
  head.produced = 1;  // it was preempted with a token under way
  EXPECT_EQ(cache.match(head).tokens, 12u);
}

TEST(KeptMatch, IsNotForAnotherSequenceInTheSamePlace) {
  PrefixCache cache(spec_of(12), nullptr);
  Sequence first = sequence_of(7, 16);
  compute(cache, first);
  Sequence head = sequence_of(7, 40);
  cache.match(head);
  cache.keep_match(head);
  cache.release(head);  // the client left
  head = sequence_of(8, 40);
  EXPECT_EQ(cache.match(head).tokens, 0u);
}

TEST(Oracle, BringsBackWhatAnyOfItsCachesHasComputed) {
  const auto oracle = std::make_shared<KvOracle>();
  PrefixCache one(spec_of(12), oracle);
  PrefixCache two(spec_of(12), oracle);
  Sequence first = sequence_of(7, 18);
  compute(one, first);
  Sequence second = sequence_of(7, 18);
  const PrefixMatch& match = two.match(second);
  EXPECT_EQ(match.tokens, 16u);
  EXPECT_EQ(match.blocks.size(), 0u) << "they take room as new ones do";
  EXPECT_TRUE(two.admits(second, match, 2, false));
  two.adopt(second, match);
  EXPECT_EQ(second.computed, 16u);
  ASSERT_TRUE(two.extend(second, 18));
  two.publish(second, 18);
  EXPECT_EQ(two.match(sequence_of(7, 18)).blocks.size(), 4u);
}

}  // namespace
}  // namespace berth::engine
