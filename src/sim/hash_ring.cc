#include "sim/hash_ring.h"

#include "routing/stable_hash.h"

namespace berth::sim {

void HashRing::add(routing::ReplicaIndex replica, std::string_view label) {
  const std::uint64_t name = routing::sip_hash(routing::kStableKey, label);
  for (std::uint64_t i = 0; i < kPoints; ++i) points_.push_back({routing::mix(name, i), replica});
  std::sort(points_.begin(), points_.end());
}

}  // namespace berth::sim
