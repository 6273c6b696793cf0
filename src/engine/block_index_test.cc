#include "engine/block_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace berth::engine {
namespace {

TEST(BlockIndex, FindsWhatWasAddedUntilItIsRemoved) {
  BlockIndex index;
  EXPECT_EQ(index.find(77), kNoBlock);
  index.add(3, 77);
  EXPECT_EQ(index.find(77), 3u);
  EXPECT_TRUE(index.holds_hash(3));
  EXPECT_FALSE(index.holds_hash(2));
  EXPECT_FALSE(index.holds_hash(1'000));
  index.remove(3);
  EXPECT_EQ(index.find(77), kNoBlock);
  EXPECT_FALSE(index.holds_hash(3));
  EXPECT_EQ(index.size(), 0u);
}

TEST(BlockIndex, OfBlocksWithOneHashTheFirstIsFoundThenTheNext) {
  BlockIndex index;
  for (const BlockId block : {5, 2, 9, 4}) index.add(block, 1);
  EXPECT_EQ(index.size(), 4u);
  EXPECT_EQ(index.find(1), 5u);
  index.remove(2);  // from the middle
  index.remove(5);
  EXPECT_EQ(index.find(1), 9u);
  index.remove(4);  // the last
  index.add(2, 1);
  EXPECT_EQ(index.find(1), 9u);
  index.remove(9);
  EXPECT_EQ(index.find(1), 2u);
  index.remove(2);
  EXPECT_EQ(index.find(1), kNoBlock);
}

// Hashes that share their slots and tags, in a table that grows and shrinks.
TEST(BlockIndex, AgreesWithAMapOfListsOverRandomOperations) {
  std::mt19937_64 random(11);
  BlockIndex index;
  std::map<BlockHash, std::vector<BlockId>> lists;
  std::vector<BlockHash> held(500);
  for (int step = 0; step < 50'000; ++step) {
    const BlockId block = 1 + static_cast<BlockId>(random() % 499);
    if (held[block] == 0) {
      const BlockHash hash = (random() % 6 << 32) + (random() % 16) * 256 + random() % 4 + 1;
      index.add(block, hash);
      lists[hash].push_back(block);
      held[block] = hash;
    } else {
      std::vector<BlockId>& list = lists[held[block]];
      list.erase(std::find(list.begin(), list.end(), block));
      index.remove(block);
      held[block] = 0;
    }
    const BlockHash asked = (random() % 6 << 32) + (random() % 16) * 256 + random() % 4 + 1;
    const std::vector<BlockId>& list = lists[asked];
    ASSERT_EQ(index.find(asked), list.empty() ? kNoBlock : list.front()) << step;
  }
}

}  // namespace
}  // namespace berth::engine
