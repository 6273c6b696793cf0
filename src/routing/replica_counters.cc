#include "routing/replica_counters.h"

#include <algorithm>

namespace berth::routing {

ReplicaCounters& ReplicaCounters::operator+=(const ReplicaCounters& other) {
  requests += other.requests;
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] += other.outcomes[i];
  prompt_tokens += other.prompt_tokens;
  cached_tokens += other.cached_tokens;
  output_tokens += other.output_tokens;
  unmeasured += other.unmeasured;
  in_flight_peak = std::max(in_flight_peak, other.in_flight_peak);
  return *this;
}

}  // namespace berth::routing
