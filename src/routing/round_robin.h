// The policy "round-robin", for comparison: each request to the next replica, whoever sends it.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/types.h"

namespace berth::routing {

class RoundRobin {
 public:
  explicit RoundRobin(std::uint64_t seed) : turn_(seed) {}
  // `candidates` is not empty.
  ReplicaIndex pick(const std::vector<ReplicaIndex>& candidates) {
    return candidates[turn_++ % candidates.size()];
  }

 private:
  std::uint64_t turn_;
};

}  // namespace berth::routing
