#include "engine/balancer_by_counts.h"

namespace berth::engine {
namespace {

class RotatingBalancer final : public BalancerByCounts {
 public:
  using BalancerByCounts::BalancerByCounts;

 protected:
  void move_start(std::uint32_t& start) override { start = (start + 1) % ranks(); }
};

}  // namespace

std::unique_ptr<RankBalancer> make_rotating_balancer(std::uint32_t ranks, std::uint32_t processes) {
  return std::make_unique<RotatingBalancer>(ranks, processes);
}

}  // namespace berth::engine
