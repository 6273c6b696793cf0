// Shares shown to people and scripts. A share of nothing is absent, never zero: "no traffic" and
// "no hits" are different facts.
#pragma once

#include <cstdint>
#include <optional>

#include "routing/replica_counters.h"

namespace berth::console {

using routing::OutcomeCounts;

// part / whole, 0..1; absent when `whole` is 0.
std::optional<double> share(std::uint64_t part, std::uint64_t whole);

// sticky / (sticky + overflow + moved + failover): of the turns that had a home to go to, how many
// went there.
std::optional<double> sticky_share(const OutcomeCounts& outcomes);

// Requests that were sent to a replica or a server: all outcomes but refused and abandoned.
std::uint64_t dispatched(const OutcomeCounts& outcomes);

}  // namespace berth::console
