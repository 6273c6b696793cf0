#include "console/readiness.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::console {
namespace {

bool has_replica_up(const observe::ModelStatus& model) {
  return std::any_of(model.replicas.begin(), model.replicas.end(), [](const auto& replica) {
    return !replica.routing.removed && replica.routing.state == routing::ReplicaState::kUp;
  });
}

bool all_drained(const observe::ModelStatus& model) {
  std::size_t here = 0;
  for (const observe::ReplicaStatus& replica : model.replicas) {
    if (replica.routing.removed) continue;
    if (replica.routing.state != routing::ReplicaState::kDraining) return false;
    ++here;
  }
  return here > 0;
}

}  // namespace

std::vector<std::string> not_ready_reasons(const observe::FleetStatus& status) {
  std::vector<std::string> reasons;
  if (status.draining) reasons.emplace_back("Berth is shutting down.");
  if (status.loading) reasons.emplace_back("Berth is loading the bindings of its last run.");
  if (status.models.empty()) reasons.emplace_back("No model has been found on any server yet.");
  for (const observe::ModelStatus& model : status.models) {
    if (all_drained(model)) {
      reasons.push_back(fmt::format("Every replica of model {} is drained.", model.name));
    } else if (!has_replica_up(model)) {
      reasons.push_back(fmt::format("No replica of model {} is up.", model.name));
    }
  }
  for (const observe::ServerStatus& server : status.servers) {
    if (server.health == "up") continue;
    reasons.push_back(
        server.why.empty()
            ? fmt::format("Server {} is {}.", server.url, server.health)
            : fmt::format("Server {} is {}: {}.", server.url, server.health, server.why));
  }
  if (reasons.empty()) reasons.emplace_back("Berth is still starting.");
  return reasons;
}

}  // namespace berth::console
