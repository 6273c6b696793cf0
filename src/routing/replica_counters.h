// What one replica has done since the router was made. Counters only grow, and are taken when a
// request ends.
#pragma once

#include <array>
#include <cstdint>

#include "routing/types.h"

namespace berth::routing {

using OutcomeCounts = std::array<std::uint64_t, kOutcomeCount>;  // indexed by Outcome

struct ReplicaCounters {
  std::uint64_t requests = 0;
  OutcomeCounts outcomes{};
  std::uint64_t prompt_tokens = 0;  // the engine's count, cached ones included
  std::uint64_t cached_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t unmeasured = 0;  // requests answered below 400 whose engine told no cached count
  std::uint32_t in_flight_peak = 0;

  // The sum of both; of the peaks the higher.
  ReplicaCounters& operator+=(const ReplicaCounters& other);
};

}  // namespace berth::routing
