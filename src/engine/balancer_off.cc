#include "engine/balancer_by_counts.h"

namespace berth::engine {
namespace {

class OffBalancer final : public BalancerByCounts {
 public:
  using BalancerByCounts::BalancerByCounts;
  void observe(std::span<const RankLoad> /*loads*/, Instant now) override {
    counts().observe_silence(now);
  }
  Instant due() const override { return counts().silence_due(); }
};

}  // namespace

std::unique_ptr<RankBalancer> make_off_balancer(std::uint32_t ranks, std::uint32_t processes) {
  return std::make_unique<OffBalancer>(ranks, processes);
}

}  // namespace berth::engine
