#include "engine/balancer_by_counts.h"

namespace berth::engine {

std::unique_ptr<RankBalancer> make_published_balancer(std::uint32_t ranks,
                                                      std::uint32_t processes) {
  return std::make_unique<BalancerByCounts>(ranks, processes);
}

}  // namespace berth::engine
