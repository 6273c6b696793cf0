#include "routing/near_parent.h"

#include <algorithm>

namespace berth::routing {

bool takes_child(const ReplicaSet& replicas, const std::vector<ReplicaIndex>& candidates,
                 ReplicaIndex parent_home, bool fork, std::uint32_t threshold) {
  if (std::find(candidates.begin(), candidates.end(), parent_home) == candidates.end())
    return false;
  if (replicas.load(parent_home) > threshold) return false;
  if (fork) return true;
  std::uint32_t least_load = replicas.load(parent_home);
  std::uint32_t least_resident = replicas[parent_home].resident;
  for (const ReplicaIndex i : candidates) {
    least_load = std::min(least_load, replicas.load(i));
    least_resident = std::min(least_resident, replicas[i].resident);
  }
  return replicas.load(parent_home) < least_load + kChildGap &&
         replicas[parent_home].resident <= 2 * least_resident + kChildResidentMargin;
}

}  // namespace berth::routing
