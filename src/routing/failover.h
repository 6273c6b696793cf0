// What a conversation does when its home was down and is back: return, or stay where it went.
//
// While home is down a stand-in serves the conversation (outcome failover, home kept). Afterwards
// the cost decides, in tokens that would have to be read again:
//   - at the stand-in nothing: it computed the last turns;
//   - at home everything beyond what home remembers: its context when home last served it, or
//     nothing when the cache was lost since. It is lost when the outage was longer than
//     kCacheSurvives, because then the engine was restarted, and when the engine's counters began
//     anew (ModelRouter::on_restarted).
// The conversation returns if what home must read is no more than what it remembers: a short outage
// costs a few turns' worth and restores the balance. It stays, and the stand-in becomes its home,
// if it has grown there by more than home remembers. Then new conversations fill the empty home
// (slow start).
#pragma once

#include "base/clock.h"
#include "routing/binding.h"
#include "routing/replica_set.h"

namespace berth::routing {

// An outage that ends sooner was the network or a busy engine: loading weights and capturing graphs
// takes an engine longer than this.
inline constexpr Duration kCacheSurvives = std::chrono::seconds(30);

// Does the conversation, now at its stand-in, return to `home`, which serves again?
bool returns_home(const Binding& binding, const Replica& home);

}  // namespace berth::routing
