// Where a child conversation (subagent, fork) starts: beside its parent, unless that replica is
// loaded.
//
// A fork is a copy of the parent's history, so the parent's home has all of it; it goes there as
// the parent itself would, up to the overflow threshold. A subagent has its own system prompt and
// tools: near the parent it finds at most what its siblings left (dynamo#11343: scattering makes N
// copies of that prefix), and keying all of a session to one replica sends every parallel subagent
// there (CLIProxyAPI#5364). So it stays near only while that replica has fewer than kChildGap
// requests more than the least loaded one (verl#7435 found a margin of 2 per session to help in all
// cases), and not clearly more residents, for subagents that run one after another and would pile
// up there.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/replica_set.h"

namespace berth::routing {

inline constexpr std::uint32_t kChildGap = 2;
// Clearly more residents: over twice the least, and this many beyond.
inline constexpr std::uint32_t kChildResidentMargin = 4;

// May a child be placed at `parent_home`? `candidates` are the replicas open to new conversations.
bool takes_child(const ReplicaSet& replicas, const std::vector<ReplicaIndex>& candidates,
                 ReplicaIndex parent_home, bool fork, std::uint32_t threshold);

}  // namespace berth::routing
