#include "sim/rival.h"

#include <utility>

namespace berth::sim {

Rival::Rival(const PolicyContext& context) {
  for (const routing::ReplicaSpec& spec : context.replicas) replicas_.push_back({spec});
}

Answer Rival::on_request(const PolicyRequest& request, Instant) {
  const std::optional<routing::ReplicaIndex> to = choose(request);
  if (!to) return Refuse{};
  ++replicas_[*to].in_flight;
  open_.insert_or_assign(request.id, Open{*to, request});
  return Send{replicas_[*to].spec.target};
}

Answer Rival::on_not_started(RequestNumber id, Instant now) {
  const auto open = open_.find(id);
  if (open == open_.end()) return Refuse{};
  const Open refused = std::move(open->second);
  close(id);
  replicas_[refused.replica].up = false;
  return on_request(refused.request, now);
}

void Rival::on_replica(routing::ReplicaIndex replica, routing::ReplicaState state, Instant) {
  replicas_[replica].up = state == routing::ReplicaState::kUp;
}

void Rival::on_added(const routing::ReplicaSpec& spec, Instant) { replicas_.push_back({spec}); }

std::vector<routing::ReplicaIndex> Rival::up() const {
  std::vector<routing::ReplicaIndex> open;
  for (routing::ReplicaIndex i = 0; i < replicas_.size(); ++i) {
    if (replicas_[i].up) open.push_back(i);
  }
  return open;
}

std::optional<routing::ReplicaIndex> Rival::least_in_flight() const {
  std::optional<routing::ReplicaIndex> best;
  for (const routing::ReplicaIndex i : up()) {
    if (!best || replicas_[i].in_flight < replicas_[*best].in_flight) best = i;
  }
  return best;
}

void Rival::close(RequestNumber id) {
  const auto open = open_.find(id);
  if (open == open_.end()) return;
  --replicas_[open->second.replica].in_flight;
  open_.erase(open);
}

}  // namespace berth::sim
