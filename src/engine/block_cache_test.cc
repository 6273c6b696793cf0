#include "engine/block_cache.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace berth::engine {
namespace {

using Hashes = std::vector<BlockHash>;

// A lease of `hashes`, all computed anew, plus `extra` anonymous blocks.
BlockLease fill(BlockCache& cache, const Hashes& hashes, std::uint64_t extra = 0) {
  BlockLease lease = cache.take({}, hashes.size() + extra);
  for (const BlockHash hash : hashes) cache.publish(lease, hash);
  return lease;
}

TEST(BlockHash, DependsOnEverythingBeforeIt) {
  const std::vector<Token> a{1, 2, 3, 4, 5, 6};
  const std::vector<Token> b{9, 2, 3, 4, 5, 6};
  const Hashes of_a = hash_full_blocks(a, 2, 0);
  const Hashes of_b = hash_full_blocks(b, 2, 0);
  ASSERT_EQ(of_a.size(), 3u);
  EXPECT_NE(of_a[0], of_b[0]);
  EXPECT_NE(of_a[2], of_b[2]);
  EXPECT_EQ(of_a, hash_full_blocks(a, 2, 0));
  EXPECT_NE(of_a, hash_full_blocks(a, 2, 7)) << "the salt enters";
}

TEST(BlockHash, OnlyFullBlocks) {
  EXPECT_TRUE(hash_full_blocks(std::vector<Token>(15, 1), 16, 0).empty());
  EXPECT_EQ(hash_full_blocks(std::vector<Token>(33, 1), 16, 0).size(), 2u);
}

TEST(BlockCache, MatchStopsAtTheFirstMiss) {
  BlockCache cache(10);
  BlockLease lease = fill(cache, {1, 2, 4});
  EXPECT_EQ(cache.match(Hashes{1, 2, 3, 4}), 2u);
  EXPECT_EQ(cache.match(Hashes{2}), 1u);
  EXPECT_EQ(cache.match(Hashes{9}), 0u);
  cache.release(lease);
  EXPECT_EQ(cache.match(Hashes{1, 2}), 2u) << "blocks stay hittable after use";
}

TEST(BlockCache, EvictsTheOldestReleaseAndTheTailFirst) {
  BlockCache cache(4);
  BlockLease first = fill(cache, {1, 2});
  BlockLease second = fill(cache, {11, 12});
  cache.release(second);
  cache.release(first);
  BlockLease one = cache.take({}, 1);
  EXPECT_EQ(cache.match(Hashes{11, 12}), 1u) << "the tail of the first released goes first";
  BlockLease two = cache.take({}, 1);
  EXPECT_EQ(cache.match(Hashes{11}), 0u);
  EXPECT_EQ(cache.match(Hashes{1, 2}), 2u);
  cache.release(one);
  cache.release(two);
}

TEST(BlockCache, AHitProtectsFromEviction) {
  BlockCache cache(4);
  BlockLease first = fill(cache, {1, 2});
  BlockLease second = fill(cache, {11, 12});
  cache.release(first);
  cache.release(second);
  BlockLease again = cache.take(Hashes{1, 2}, 2);
  BlockLease more = cache.take({}, 2);
  EXPECT_EQ(cache.match(Hashes{1, 2}), 2u);
  EXPECT_EQ(cache.match(Hashes{11}), 0u);
  cache.release(again);
  cache.release(more);
}

TEST(BlockCache, FitsCountsHitsThatNobodyHolds) {
  BlockCache cache(4);
  BlockLease held = fill(cache, {1, 2});
  EXPECT_TRUE(cache.fits(Hashes{1, 2}, 4)) << "two held hits and two new";
  EXPECT_FALSE(cache.fits(Hashes{1}, 4)) << "one held hit and three new";
  cache.release(held);
  EXPECT_TRUE(cache.fits(Hashes{1, 2}, 4)) << "two hits from the free queue and two new";
  EXPECT_FALSE(cache.fits(Hashes{1, 2}, 5));
}

TEST(BlockCache, ADuplicateStaysAnonymousAndGoesWithItsLease) {
  BlockCache cache(4);
  BlockLease one = fill(cache, {1});
  BlockLease two = fill(cache, {1});
  EXPECT_EQ(two.anonymous, 1u);
  EXPECT_EQ(cache.referenced(), 2u);
  cache.release(one);
  EXPECT_EQ(cache.match(Hashes{1}), 1u);
  EXPECT_EQ(cache.referenced(), 1u);
  cache.release(two);
  EXPECT_EQ(cache.referenced(), 0u);
  EXPECT_EQ(cache.cached(), 1u);
}

TEST(BlockCache, RandomUseNeverLosesABlock) {
  std::mt19937_64 random(7);
  BlockCache cache(64);
  std::vector<BlockLease> leases;
  for (int step = 0; step < 20'000; ++step) {
    if (leases.empty() || random() % 2 == 0) {
      // One of eight conversations, up to ten blocks of it.
      const BlockHash base = (random() % 8 + 1) * 100;
      Hashes hashes;
      for (std::uint64_t i = 0; i <= random() % 10; ++i) hashes.push_back(base + i);
      const Hashes hits(hashes.begin(),
                        hashes.begin() + static_cast<std::ptrdiff_t>(cache.match(hashes)));
      const std::uint64_t total = hashes.size() + random() % 3;
      if (!cache.fits(hits, total)) continue;
      BlockLease lease = cache.take(hits, total);
      for (std::size_t i = hits.size(); i < hashes.size(); ++i) cache.publish(lease, hashes[i]);
      EXPECT_EQ(cache.match(hashes), hashes.size());
      leases.push_back(lease);
    } else {
      const std::size_t which = random() % leases.size();
      cache.release(leases[which]);
      leases.erase(leases.begin() + static_cast<std::ptrdiff_t>(which));
    }
    ASSERT_LE(cache.referenced(), cache.usable());
    ASSERT_LE(cache.cached(), cache.usable());
  }
  for (BlockLease& lease : leases) cache.release(lease);
  EXPECT_EQ(cache.referenced(), 0u);
}

}  // namespace
}  // namespace berth::engine
