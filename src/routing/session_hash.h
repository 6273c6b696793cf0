// The policy "session-hash", for comparison: the rendezvous hash of the conversation, blind to
// load.
//
// What hash-based routers do. It needs no table and survives restarts, and it is what left three of
// seven cards idle while others filled: conversations differ too much in length and life for their
// number to be enough (prime-rl#3255: hit rate from 98 % to 5 %).
#pragma once

#include <cstdint>
#include <optional>

#include "routing/binding.h"
#include "routing/replica_set.h"
#include "routing/sticky.h"

namespace berth::routing {

// Where every turn of the conversation goes while the set of replicas stays the same; none without
// replicas.
std::optional<ReplicaIndex> session_hash(const ReplicaSet& replicas, const Servers& servers,
                                         std::uint64_t placement_hash);

// The outcome of sending a turn of a bound conversation to `chosen`: sticky at home, failover while
// home does not serve, else moved, and the home follows.
Choice hashed_turn(const ReplicaSet& replicas, const Servers& servers, Binding& binding,
                   ReplicaIndex chosen);

}  // namespace berth::routing
