#include "routing/rendezvous.h"

#include "base/check.h"
#include "routing/stable_hash.h"

namespace berth::routing {

ReplicaIndex rendezvous(const ReplicaSet& replicas, const std::vector<ReplicaIndex>& candidates,
                        std::uint64_t placement_hash) {
  BERTH_CHECK(!candidates.empty());
  ReplicaIndex best = candidates.front();
  std::uint64_t best_score = 0;
  for (const ReplicaIndex candidate : candidates) {
    const std::uint64_t score = mix(replicas[candidate].label_hash, placement_hash);
    if (score > best_score) {
      best = candidate;
      best_score = score;
    }
  }
  return best;
}

}  // namespace berth::routing
