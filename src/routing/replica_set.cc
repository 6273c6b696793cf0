#include "routing/replica_set.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "routing/stable_hash.h"

namespace berth::routing {

ReplicaIndex ReplicaSet::add(ReplicaSpec spec, Instant now) {
  Replica replica;
  replica.label_hash = sip_hash(kStableKey, spec.label);
  replica.state_since = now;
  replica.idle_since = now;
  replica.spec = std::move(spec);
  ++servers_[replica.spec.target.server].replicas;
  replicas_.push_back(std::move(replica));
  return size() - 1;
}

void ReplicaSet::remove(ReplicaIndex index, Instant now) {
  Replica& replica = (*this)[index];
  if (replica.removed) return;
  replica.removed = true;
  replica.state = ReplicaState::kDown;
  replica.state_since = now;
  --servers_[replica.spec.target.server].replicas;
}

void ReplicaSet::set_state(ReplicaIndex index, ReplicaState state, Instant now) {
  Replica& replica = (*this)[index];
  if (replica.removed || replica.state == state) return;
  if (replica.state == ReplicaState::kDown) replica.last_outage = now - replica.state_since;
  replica.state = state;
  replica.state_since = now;
}

Replica& ReplicaSet::operator[](ReplicaIndex index) {
  BERTH_CHECK(index < replicas_.size());
  return replicas_[index];
}

const Replica& ReplicaSet::operator[](ReplicaIndex index) const {
  BERTH_CHECK(index < replicas_.size());
  return replicas_[index];
}

std::optional<ReplicaIndex> ReplicaSet::find_label(std::string_view label) const {
  for (ReplicaIndex i = 0; i < size(); ++i) {
    if (!replicas_[i].removed && replicas_[i].spec.label == label) return i;
  }
  return std::nullopt;
}

const ReplicaSet::Server* ReplicaSet::server(std::uint32_t index) const {
  const auto found = servers_.find(index);
  return found == servers_.end() ? nullptr : &found->second;
}

std::uint32_t ReplicaSet::ranks(std::uint32_t index) const {
  const Server* entry = server(index);
  return entry == nullptr ? 0 : entry->replicas;
}

bool ReplicaSet::has_ranks(std::uint32_t index) const { return ranks(index) > 1; }

bool ReplicaSet::any_server_has_ranks() const {
  return std::any_of(servers_.begin(), servers_.end(),
                     [](const auto& entry) { return entry.second.replicas > 1; });
}

bool ReplicaSet::serves(ReplicaIndex index) const {
  const Replica& replica = (*this)[index];
  return !replica.removed &&
         (replica.state == ReplicaState::kUp || replica.state == ReplicaState::kSuspect);
}

std::optional<int> ReplicaSet::rank_for_new(const Replica& replica) const {
  if (replica.removed) return std::nullopt;
  if (replica.state == ReplicaState::kUp) return replica.paused_until ? 1 : 0;
  if (replica.state == ReplicaState::kSuspect) return 2;
  return std::nullopt;
}

template <typename Allowed>
std::vector<ReplicaIndex> ReplicaSet::best_for_new(Allowed allowed) const {
  std::vector<ReplicaIndex> best;
  std::optional<int> best_rank;
  for (ReplicaIndex i = 0; i < size(); ++i) {
    const std::optional<int> rank = rank_for_new(replicas_[i]);
    if (!rank || !allowed(i)) continue;
    if (!best_rank || *rank < *best_rank) {
      best.clear();
      best_rank = rank;
    }
    if (rank == best_rank) best.push_back(i);
  }
  return best;
}

std::vector<ReplicaIndex> ReplicaSet::well(ReplicaIndex except) const {
  return best_for_new(
      [&](ReplicaIndex i) { return i != except && rank_for_new(replicas_[i]) == 0; });
}

std::vector<ReplicaIndex> ReplicaSet::open_to_new(ReplicaIndex except) const {
  return best_for_new([&](ReplicaIndex i) { return i != except; });
}

std::vector<ReplicaIndex> ReplicaSet::open_on_other_servers(std::uint32_t except) const {
  return best_for_new([&](ReplicaIndex i) { return replicas_[i].spec.target.server != except; });
}

std::uint32_t ReplicaSet::unranked_share(ReplicaIndex index) const {
  const Server* entry = server((*this)[index].spec.target.server);
  return entry->replicas == 0 ? 0 : entry->unranked / entry->replicas;
}

std::uint32_t ReplicaSet::load(ReplicaIndex index) const {
  return (*this)[index].in_flight + unranked_share(index);
}

double ReplicaSet::kv_usage(ReplicaIndex index) const {
  const Replica& replica = (*this)[index];
  if (!replica.scraped_at) return 0;
  if (replica.in_flight == 0 && *replica.scraped_at <= replica.idle_since) return 0;
  return replica.stats.kv_usage;
}

ReplicaView ReplicaSet::view(ReplicaIndex index) const {
  const Replica& replica = (*this)[index];
  return {index,
          replica.in_flight,
          unranked_share(index),
          replica.resident,
          replica.resident_tokens,
          replica.stats.kv_usage,
          !replica.removed && replica.state == ReplicaState::kUp};
}

std::vector<ReplicaView> ReplicaSet::views(ReplicaIndex chosen, std::size_t at_most) const {
  std::vector<ReplicaView> seen;
  std::size_t room = at_most - (chosen < size() ? 1 : 0);
  for (ReplicaIndex i = 0; i < size(); ++i) {
    if (i == chosen) {
      seen.push_back(view(i));
    } else if (room > 0 && !replicas_[i].removed) {
      seen.push_back(view(i));
      --room;
    }
  }
  return seen;
}

void ReplicaSet::take(ReplicaIndex index) {
  Replica& replica = (*this)[index];
  ++replica.in_flight;
  replica.counters.in_flight_peak = std::max(replica.counters.in_flight_peak, replica.in_flight);
  ++servers_[replica.spec.target.server].ranked;
}

void ReplicaSet::release(ReplicaIndex index, Instant now) {
  Replica& replica = (*this)[index];
  BERTH_CHECK(replica.in_flight > 0);
  if (--replica.in_flight == 0) replica.idle_since = now;
  --servers_[replica.spec.target.server].ranked;
}

void ReplicaSet::take_unranked(std::uint32_t index) { ++servers_[index].unranked; }

void ReplicaSet::release_unranked(std::uint32_t index) {
  Server& entry = servers_[index];
  BERTH_CHECK(entry.unranked > 0);
  --entry.unranked;
}

std::uint32_t ReplicaSet::in_flight_on_server(std::uint32_t index) const {
  const Server* entry = server(index);
  return entry == nullptr ? 0 : entry->ranked + entry->unranked;
}

}  // namespace berth::routing
