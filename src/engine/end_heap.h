// Which rank's step ends next: a binary heap of one instant a rank. O(1) to look, O(log ranks) to
// change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"

namespace berth::engine {

class EndHeap {
 public:
  explicit EndHeap(std::uint32_t ranks) : place_(ranks, kNowhere) {}

  struct End {
    Instant at{};
    std::uint32_t rank = 0;
  };
  // The earliest; of equal ones the lowest rank.
  std::optional<End> first() const;
  // Replaces what the rank had.
  void set(std::uint32_t rank, std::optional<Instant> at);

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  static bool before(const End& a, const End& b);
  void put(std::size_t place, const End& end);
  void remove(std::size_t place);
  void sift_up(std::size_t place, const End& end);
  void sift_down(std::size_t place, const End& end);

  std::vector<End> heap_;
  std::vector<std::size_t> place_;  // in heap_, by rank
};

}  // namespace berth::engine
