#include "engine/balancer_by_counts.h"

#include <limits>

namespace berth::engine {

BalancerByCounts::BalancerByCounts(std::uint32_t ranks, std::uint32_t processes)
    : ranks_(ranks), processes_(processes), counts_(ranks, processes) {
  for (std::uint32_t process = 0; process < processes; ++process) {
    start_.push_back(first_start(ranks, process, processes));
  }
}

void BalancerByCounts::observe(std::span<const RankLoad> loads, Instant now) {
  counts_.observe(loads, now);
}

std::uint32_t BalancerByCounts::choose(std::uint32_t api_process) {
  const std::span<RankLoad> seen = counts_.of(api_process);
  std::uint64_t best_score = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t best = 0;
  for (std::uint32_t i = 0; i < ranks_; ++i) {
    const std::uint32_t rank = (start_[api_process] + i) % ranks_;
    const std::uint64_t score = std::uint64_t{seen[rank].waiting} * 4 + seen[rank].running;
    if (score < best_score) {
      best_score = score;
      best = rank;
    }
  }
  seen[best].waiting += processes_;
  move_start(start_[api_process]);
  return best;
}

}  // namespace berth::engine
