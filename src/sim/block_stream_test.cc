#include "sim/block_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth::sim {
namespace {

std::size_t common(const BlockList& a, const BlockList& b) {
  std::size_t same = 0;
  while (same < std::min(a->size(), b->size()) && (*a)[same] == (*b)[same]) ++same;
  return same;
}

class BlockStreams : public ::testing::Test {
 protected:
  std::vector<std::uint64_t> shared = shared_blocks(3'500, 16, 1);
  BlockStream stream{7, 16, shared};
};

TEST_F(BlockStreams, EveryConversationBeginsWithTheSharedTextAndThenDiffers) {
  BlockStream other{8, 16, shared};
  const BlockList a = stream.next(3'500, 11'056);
  const BlockList b = other.next(3'500, 11'056);
  EXPECT_EQ(a->size(), 691U);
  EXPECT_EQ(common(a, b), 218U);
}

TEST_F(BlockStreams, AGrowingHistoryKeepsAllItsFullBlocks) {
  const BlockList first = stream.next(3'500, 11'050);
  const BlockList second = stream.next(11'050, 11'700);
  EXPECT_EQ(first->size(), 690U);
  EXPECT_EQ(second->size(), 731U);
  EXPECT_EQ(common(first, second), 690U);
}

// The block that was half full at the end of one turn is the same text when the next fills it.
TEST_F(BlockStreams, TheSameHistoryInTwoStepsOrOneHasTheSameBlocks) {
  BlockStream twin{7, 16, shared};
  stream.next(3'500, 11'050);
  EXPECT_EQ(*stream.next(11'050, 11'700), *twin.next(3'500, 11'700));
}

TEST_F(BlockStreams, ARewrittenHistorySharesOnlyWhatWasKept) {
  const BlockList before = stream.next(3'500, 16'000);
  const BlockList after = stream.next(6'400, 16'000);
  EXPECT_EQ(common(before, after), 400U);
  const BlockList again = stream.next(6'400, 16'000);
  EXPECT_EQ(common(after, again), 400U);
}

TEST_F(BlockStreams, AListThatWasHandedOutDoesNotChange) {
  const BlockList first = stream.next(3'500, 11'050);
  const std::vector<std::uint64_t> copy = *first;
  stream.next(4'000, 20'000);
  EXPECT_EQ(*first, copy);
}

TEST(BlocksOfIds, EqualIdsInEqualPlacesAreEqualText) {
  const auto a = blocks_of_ids({1, 2, 3}, 512, 1'400, 16, 100);
  const auto b = blocks_of_ids({1, 2, 9}, 512, 1'400, 16, 101);
  ASSERT_EQ(a.size(), 87U);
  EXPECT_EQ(a[63], b[63]);
  EXPECT_NE(a[64], b[64]);
}

TEST(BlocksOfIds, WhatNoIdNamesIsTheRequestsOwn) {
  const auto a = blocks_of_ids({1}, 512, 1'024, 16, 100);
  const auto b = blocks_of_ids({1}, 512, 1'024, 16, 101);
  EXPECT_EQ(a[31], b[31]);
  EXPECT_NE(a[32], b[32]);
}

}  // namespace
}  // namespace berth::sim
