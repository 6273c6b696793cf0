// Rendezvous (highest random weight) hashing: Thaler and Ravishankar, 1998.
//
// Each replica's score for a conversation depends only on the two names, so the same conversation
// prefers the same replica in every process, and a replica that comes or goes changes only the
// choices it wins or won. Against a hash ring: no virtual nodes to tune, and a better spread
// (vllm-project/router#128).
#pragma once

#include <cstdint>
#include <vector>

#include "routing/replica_set.h"

namespace berth::routing {

// The candidate with the highest score; `candidates` is not empty. Equal scores go to the lower
// index.
ReplicaIndex rendezvous(const ReplicaSet& replicas, const std::vector<ReplicaIndex>& candidates,
                        std::uint64_t placement_hash);

}  // namespace berth::routing
