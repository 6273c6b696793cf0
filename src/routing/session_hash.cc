#include "routing/session_hash.h"

#include "routing/rendezvous.h"

namespace berth::routing {

std::optional<ReplicaIndex> session_hash(const ReplicaSet& replicas, const Servers& servers,
                                         std::uint64_t placement_hash) {
  const std::vector<ReplicaIndex> open = replicas.open_to_new(servers);
  if (open.empty()) return std::nullopt;
  return rendezvous(replicas, open, placement_hash);
}

Choice hashed_turn(const ReplicaSet& replicas, const Servers& servers, Binding& binding,
                   ReplicaIndex chosen) {
  // The hash is all that decides: a stand-in that took over when a start failed has no claim.
  binding.stand_in = kNoReplica;
  if (chosen == binding.home) return {chosen, Outcome::kSticky, Reason::kPolicy};
  if (!replicas.serves(binding.home, servers)) return {chosen, Outcome::kFailover, Reason::kPolicy};
  binding.home = chosen;
  return {chosen, Outcome::kMoved, Reason::kPolicy};
}

}  // namespace berth::routing
