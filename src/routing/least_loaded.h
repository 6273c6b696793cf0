// The replica or server with the fewest requests in flight, for requests that have nothing to stick
// to: side requests, requests without identity, affinity off, and the policy "least-loaded".
//
// Ties rotate: a fixed choice among equals would send every such request of a quiet fleet to one
// replica.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routing/replica_set.h"

namespace berth::routing {

class LeastLoaded {
 public:
  // The rotation starts at a place drawn from the seed, so that several gateways do not march in
  // step.
  explicit LeastLoaded(std::uint64_t seed) : next_(seed) {}

  // Among `candidates`, ascending and not empty.
  ReplicaIndex pick(const ReplicaSet& replicas, const std::vector<ReplicaIndex>& candidates);
  // The server with the fewest requests in flight a rank, among those of `candidates`.
  std::uint32_t pick_server(const ReplicaSet& replicas,
                            const std::vector<ReplicaIndex>& candidates);

 private:
  std::uint64_t next_;
};

}  // namespace berth::routing
