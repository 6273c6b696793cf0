#include "routing/slow_start.h"

#include <algorithm>

namespace berth::routing {

void SlowStart::begin(Replica& replica, Instant now) const {
  replica.fresh_since = now;
  replica.fresh_credit = 1;
}

bool SlowStart::fresh(Replica& replica, Instant now) const {
  if (!replica.fresh_since) return false;
  if (now - *replica.fresh_since < window_) return true;
  replica.fresh_since.reset();
  return false;
}

std::vector<ReplicaIndex> SlowStart::admit(ReplicaSet& replicas,
                                           const std::vector<ReplicaIndex>& candidates,
                                           Instant now) const {
  std::vector<ReplicaIndex> admitted;
  for (const ReplicaIndex i : candidates) {
    Replica& replica = replicas[i];
    if (!fresh(replica, now)) {
      admitted.push_back(i);
      continue;
    }
    const double age = to_seconds(now - *replica.fresh_since) / to_seconds(window_);
    const double fair = 1.0 / static_cast<double>(candidates.size());
    // At most one unused turn is saved up, so that a quiet minute does not end in a burst.
    replica.fresh_credit = std::min(replica.fresh_credit + std::max(fair, age), 1.0);
    if (replica.fresh_credit >= 1.0) admitted.push_back(i);
  }
  return admitted.empty() ? candidates : admitted;
}

void SlowStart::placed(Replica& replica) {
  if (replica.fresh_since) replica.fresh_credit = std::max(replica.fresh_credit - 1.0, 0.0);
}

}  // namespace berth::routing
