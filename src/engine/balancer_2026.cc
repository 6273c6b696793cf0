#include <algorithm>
#include <limits>

#include "engine/published_counts.h"

namespace berth::engine {
namespace {

constexpr double kKvPenalty = 6.0;
constexpr double kKvFree = 0.5;

class Balancer2026 final : public RankBalancer {
 public:
  Balancer2026(std::uint32_t ranks, std::uint32_t processes)
      : ranks_(ranks),
        processes_(processes),
        counts_(ranks, processes),
        in_flight_(processes, std::vector<std::uint32_t>(ranks)) {
    for (std::uint32_t process = 0; process < processes; ++process) {
      start_.push_back(first_start(ranks, process, processes));
    }
  }

  void observe(std::span<const RankLoad> loads, Instant now) override {
    counts_.observe(loads, now);
  }

  Instant due() const override { return counts_.due(); }

  std::uint32_t choose(std::uint32_t api_process) override {
    double best_score = std::numeric_limits<double>::infinity();
    std::uint32_t best = 0;
    for (std::uint32_t i = 0; i < ranks_; ++i) {
      const std::uint32_t rank = (start_[api_process] + i) % ranks_;
      const double value = score(api_process, rank);
      if (value < best_score) {
        best_score = value;
        best = rank;
      }
    }
    counts_.of(api_process)[best].waiting += processes_;
    start_[api_process] = (start_[api_process] + 1) % ranks_;
    return best;
  }

  void started(std::uint32_t api_process, std::uint32_t rank) override {
    ++in_flight_[api_process][rank];
  }
  void ended(std::uint32_t api_process, std::uint32_t rank) override {
    --in_flight_[api_process][rank];
  }

 private:
  double score(std::uint32_t process, std::uint32_t rank) {
    const RankLoad& seen = counts_.of(process)[rank];
    const double own = static_cast<double>(processes_) * in_flight_[process][rank];
    const double published = static_cast<double>(seen.waiting) + seen.running;
    const double fill = std::max(0.0, seen.kv_usage - kKvFree);
    return std::max(own, published) + seen.waiting * kKvPenalty * fill;
  }

  std::uint32_t ranks_;
  std::uint32_t processes_;
  PublishedCounts counts_;
  std::vector<std::vector<std::uint32_t>> in_flight_;  // by process, then rank
  std::vector<std::uint32_t> start_;                   // by process
};

}  // namespace

std::unique_ptr<RankBalancer> make_2026_balancer(std::uint32_t ranks, std::uint32_t processes) {
  return std::make_unique<Balancer2026>(ranks, processes);
}

}  // namespace berth::engine
