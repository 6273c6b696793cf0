// Keeps new work away from a replica that fails fast.
//
// A broken engine that answers errors at once always has the fewest requests in flight and no
// residents, so least-loaded placement would send it every new conversation (sglang#14532: a sick
// worker draws the traffic). After kFaultsInARow faults with no request served in between it takes
// nothing new for kPause while another replica is well; its own conversations still go there. Then
// it is tried again, and one more fault renews the pause. Health checks decide about up and down;
// this only decides about newcomers.
//
// A fault is a 5xx other than backpressure (429, 503, 529), as the status or in an error inside a
// stream, a stream that broke, or a request that never started. A 4xx is the client's
// (sglang#25811: 4xx that opened breakers took a whole fleet out).
#pragma once

#include "base/clock.h"
#include "routing/replica_set.h"

namespace berth::routing {

inline constexpr std::uint32_t kFaultsInARow = 3;
inline constexpr Duration kPause = std::chrono::seconds(10);

bool is_fault(int status, bool complete);

void note_fault(Replica& replica, Instant now);
void note_served(Replica& replica);
// Ends the pauses that are over. Call before a decision.
void end_pauses(ReplicaSet& replicas, Instant now);

}  // namespace berth::routing
