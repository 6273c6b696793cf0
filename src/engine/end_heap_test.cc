#include "engine/end_heap.h"

#include <gtest/gtest.h>

#include <random>

namespace berth::engine {
namespace {

TEST(EndHeap, AgreesWithALinearSearchOverRandomChanges) {
  std::mt19937_64 random(5);
  constexpr std::uint32_t kRanks = 23;
  EndHeap heap(kRanks);
  std::vector<std::optional<Instant>> ends(kRanks);
  EXPECT_FALSE(heap.first().has_value());
  for (int step = 0; step < 20'000; ++step) {
    const auto rank = static_cast<std::uint32_t>(random() % kRanks);
    std::optional<Instant> at;
    if (random() % 4 > 0) at = Instant(Duration(random() % 50));  // equal ones are common
    ends[rank] = at;
    heap.set(rank, at);
    std::optional<std::uint32_t> first;
    for (std::uint32_t i = 0; i < kRanks; ++i) {
      if (ends[i] && (!first || *ends[i] < *ends[*first])) first = i;
    }
    ASSERT_EQ(heap.first().has_value(), first.has_value());
    if (!first) continue;
    ASSERT_EQ(heap.first()->rank, *first) << "the lowest rank of equal ones";
    ASSERT_EQ(heap.first()->at, *ends[*first]);
  }
}

}  // namespace
}  // namespace berth::engine
