#include "engine/block_pool.h"

#include <gtest/gtest.h>

namespace berth::engine {
namespace {

using Blocks = std::vector<BlockId>;

Blocks take_many(BlockPool& pool, int count) {
  Blocks taken;
  for (int i = 0; i < count; ++i) taken.push_back(pool.take());
  return taken;
}

// Takes as many blocks as there are hashes and gives them those.
Blocks cache(BlockPool& pool, const std::vector<BlockHash>& hashes) {
  Blocks blocks = take_many(pool, static_cast<int>(hashes.size()));
  for (std::size_t i = 0; i < hashes.size(); ++i) pool.publish(blocks[i], hashes[i]);
  return blocks;
}

TEST(BlockPool, TheNullBlockIsNeverGivenOut) {
  BlockPool pool(4, true);
  EXPECT_EQ(pool.usable(), 3u);
  EXPECT_EQ(take_many(pool, 3), (Blocks{1, 2, 3}));
  EXPECT_EQ(pool.free_blocks(), 0u);
  EXPECT_EQ(pool.referenced(), 3u);
}

TEST(BlockPool, TheTailOfARequestIsEvictedFirst) {
  BlockPool pool(7, true);
  pool.release(cache(pool, {101, 102, 103}));
  pool.release(cache(pool, {201, 202, 203}));
  // Free, in this order: 103 102 101, then 203 202 201.
  EXPECT_EQ(pool.queue().order(), (Blocks{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(take_many(pool, 2), (Blocks{3, 2}));
  EXPECT_EQ(pool.evicted(), 2u);
  EXPECT_EQ(pool.find(103), kNoBlock);
  EXPECT_EQ(pool.find(102), kNoBlock);
  EXPECT_EQ(pool.find(101), 1u);
  EXPECT_EQ(take_many(pool, 2), (Blocks{1, 6}));
}

TEST(BlockPool, ATouchedBlockLeavesTheQueueAndComesBackAtItsEnd) {
  BlockPool pool(5, true);
  const Blocks first = cache(pool, {101, 102});
  pool.release(first);
  pool.release(cache(pool, {201, 202}));
  pool.touch(1);
  EXPECT_FALSE(pool.is_free(1));
  EXPECT_EQ(pool.queue().order(), (Blocks{2, 4, 3}));
  pool.touch(1);  // a second holder
  pool.release(Blocks{1});
  EXPECT_FALSE(pool.is_free(1));
  pool.release(Blocks{1});
  EXPECT_EQ(pool.queue().order(), (Blocks{2, 4, 3, 1}));
}

TEST(BlockPool, AHashIsLostOnlyWhenTheBlockIsUsedAgain) {
  BlockPool pool(3, true);
  pool.release(cache(pool, {101, 102}));
  EXPECT_EQ(pool.find(101), 1u);
  EXPECT_EQ(pool.cached(), 2u);
  EXPECT_EQ(pool.take(), 2u);
  EXPECT_EQ(pool.cached(), 1u);
  EXPECT_EQ(pool.find(101), 1u);
}

TEST(BlockPool, UnhashedBlocksAreTakenAgainFirst) {
  BlockPool pool(7, true);
  pool.release(cache(pool, {101}));
  Blocks request = cache(pool, {201, 202});  // blocks 2 and 3
  request.push_back(pool.take());            // 4: not full when the request ends
  request.push_back(pool.take());            // 5
  pool.release(request);
  EXPECT_EQ(pool.queue().order(), (Blocks{5, 4, 6, 1, 3, 2}));
}

TEST(BlockPool, OrWithTheOthersBeforeThatCame) {
  BlockPool pool(7, false);
  pool.release(cache(pool, {101}));
  Blocks request = cache(pool, {201, 202});
  request.push_back(pool.take());
  request.push_back(pool.take());
  pool.release(request);
  EXPECT_EQ(pool.queue().order(), (Blocks{6, 1, 5, 4, 3, 2}));
}

TEST(BlockPool, EqualBlocksAreKeptTwiceAndTheFirstIsFound) {
  BlockPool pool(6, true);
  const Blocks first = cache(pool, {101, 102});
  const Blocks second = cache(pool, {101, 102});
  EXPECT_EQ(pool.find(101), first[0]);
  EXPECT_EQ(pool.cached(), 4u);
  pool.release(first);
  EXPECT_EQ(pool.take(), 5u);
  EXPECT_EQ(take_many(pool, 2), (Blocks{2, 1}));
  EXPECT_EQ(pool.find(101), second[0]) << "the copy is there still";
}

TEST(BlockPool, AWatchNoticesWhatItsLookupWouldSee) {
  BlockPool pool(6, true);
  const Blocks first = cache(pool, {101, 102});
  pool.release(first);
  const auto watched = [&](const Blocks& blocks, BlockHash missing) {
    pool.watch().set(blocks, missing);
    return pool.watch().holds();
  };
  ASSERT_TRUE(watched(first, 103));
  const BlockId other = pool.take();
  pool.publish(other, 999);
  pool.release(Blocks{other});
  EXPECT_TRUE(pool.watch().holds()) << "other blocks are of no matter";
  pool.touch(1);
  EXPECT_FALSE(pool.watch().holds()) << "a first holder";
  ASSERT_TRUE(watched(first, 103));
  pool.touch(1);
  EXPECT_TRUE(pool.watch().holds()) << "a second holder";
  pool.release(Blocks{1});
  EXPECT_TRUE(pool.watch().holds());
  pool.release(Blocks{1});
  EXPECT_FALSE(pool.watch().holds()) << "the last holder left";
  ASSERT_TRUE(watched(first, 103));
  pool.publish(pool.take(), 103);
  EXPECT_FALSE(pool.watch().holds()) << "what was missing is there";
  ASSERT_TRUE(watched(first, 104));
  take_many(pool, 1);
  EXPECT_TRUE(pool.watch().holds());
  EXPECT_EQ(pool.take(), 2u);
  EXPECT_FALSE(pool.watch().holds()) << "an eviction";
}

}  // namespace
}  // namespace berth::engine
