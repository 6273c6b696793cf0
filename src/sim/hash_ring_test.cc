#include "sim/hash_ring.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "sim/random.h"

namespace berth::sim {
namespace {

constexpr int kKeys = 20'000;

HashRing ring_of(std::uint32_t replicas) {
  HashRing ring;
  for (std::uint32_t i = 0; i < replicas; ++i) ring.add(i, "gpu" + std::to_string(i) + ":8000");
  return ring;
}

std::vector<routing::ReplicaIndex> owners(const HashRing& ring, std::int64_t without = -1) {
  std::vector<routing::ReplicaIndex> all;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    all.push_back(*ring.find(mix(key), [&](routing::ReplicaIndex i) { return i != without; }));
  }
  return all;
}

TEST(HashRing, NothingFitsOnAnEmptyRingOrWhereNobodyMay) {
  EXPECT_EQ(HashRing().find(1, [](auto) { return true; }), std::nullopt);
  EXPECT_EQ(ring_of(3).find(1, [](auto) { return false; }), std::nullopt);
}

TEST(HashRing, TheEndOfTheRingIsItsBeginning) {
  const HashRing ring = ring_of(4);
  const auto any = [](auto) { return true; };
  EXPECT_EQ(ring.find(std::numeric_limits<std::uint64_t>::max(), any), ring.find(0, any));
}

TEST(HashRing, WhatDoesNotFitIsPassedOver) {
  const HashRing ring = ring_of(2);
  for (std::uint64_t key = 0; key < 100; ++key) {
    EXPECT_EQ(ring.find(mix(key), [](auto i) { return i == 1; }), 1U);
  }
}

// With 160 points a replica's share varies by about a twelfth of the mean: 1 / sqrt(160).
TEST(HashRing, SharesAreNearlyEven) {
  std::vector<int> share(8, 0);
  for (const routing::ReplicaIndex i : owners(ring_of(8))) ++share[i];
  for (const int keys : share) EXPECT_NEAR(keys, kKeys / 8.0, 0.3 * kKeys / 8.0);
}

TEST(HashRing, OnlyTheKeysOfALostReplicaMoveAndTheyGoToAll) {
  for (const std::uint32_t n : {2U, 4U, 7U, 16U}) {
    const HashRing ring = ring_of(n);
    const auto before = owners(ring);
    const auto after = owners(ring, 1);
    int moved = 0;
    std::vector<int> taken(n, 0);
    for (int k = 0; k < kKeys; ++k) {
      if (before[k] != 1) {
        ASSERT_EQ(after[k], before[k]);
      } else {
        ++moved;
        ++taken[after[k]];
      }
    }
    EXPECT_NEAR(moved, kKeys / static_cast<double>(n), 0.3 * kKeys / n) << n;
    for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(taken[i] == 0, i == 1) << n << " " << i;
  }
}

TEST(HashRing, ANewReplicaTakesKeysOnlyForItself) {
  const auto before = owners(ring_of(4));
  const auto after = owners(ring_of(5));
  int moved = 0;
  for (int k = 0; k < kKeys; ++k) {
    if (after[k] == before[k]) continue;
    ++moved;
    ASSERT_EQ(after[k], 4U);
  }
  EXPECT_NEAR(moved, kKeys / 5.0, 0.3 * kKeys / 5);
}

}  // namespace
}  // namespace berth::sim
