#include "routing/least_loaded.h"

#include <algorithm>

#include "base/check.h"
#include "routing/placement.h"

namespace berth::routing {
namespace {

// Does server `a` have fewer requests in flight a rank than `b`? Cross-multiplied: no rounding.
bool less(const ReplicaSet& replicas, std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{replicas.in_flight_on_server(a)} * replicas.ranks(b) <
         std::uint64_t{replicas.in_flight_on_server(b)} * replicas.ranks(a);
}

// The first of the ascending `tied` at or after the rotation's place.
std::uint32_t rotate(const std::vector<std::uint32_t>& tied, std::uint64_t& next,
                     std::uint32_t modulus) {
  const auto from = static_cast<std::uint32_t>(next % modulus);
  const auto found = std::lower_bound(tied.begin(), tied.end(), from);
  const std::uint32_t chosen = found == tied.end() ? tied.front() : *found;
  next = chosen + 1;
  return chosen;
}

}  // namespace

ReplicaIndex LeastLoaded::pick(const ReplicaSet& replicas,
                               const std::vector<ReplicaIndex>& candidates) {
  BERTH_CHECK(!candidates.empty());
  return rotate(with_fewest_in_flight(replicas, candidates), next_, replicas.end());
}

std::uint32_t LeastLoaded::pick_server(const ReplicaSet& replicas,
                                       const std::vector<ReplicaIndex>& candidates) {
  BERTH_CHECK(!candidates.empty());
  std::vector<std::uint32_t> servers;
  for (const ReplicaIndex i : candidates) servers.push_back(replicas[i].spec.target.server);
  std::sort(servers.begin(), servers.end());
  servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
  const std::uint32_t least =
      *std::min_element(servers.begin(), servers.end(),
                        [&](std::uint32_t a, std::uint32_t b) { return less(replicas, a, b); });
  std::erase_if(servers, [&](std::uint32_t server) { return less(replicas, least, server); });
  return rotate(servers, next_, servers.back() + 1);
}

}  // namespace berth::routing
