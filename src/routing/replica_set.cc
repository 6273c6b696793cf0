#include "routing/replica_set.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "routing/stable_hash.h"

namespace berth::routing {

ReplicaIndex ReplicaSet::add(ReplicaSpec spec, Instant now) {
  // Open tickets are counted at the server they went to, so they bind the label to it.
  const auto same = std::find_if(replicas_.begin(), replicas_.end(), [&](const Replica& old) {
    const bool free = old.in_flight == 0 || old.spec.target.server == spec.target.server;
    return old.removed && old.spec.label == spec.label && free;
  });
  if (same != replicas_.end()) {
    revive(*same, std::move(spec), now);
    return same->index;
  }
  Replica replica;
  replica.index = next_++;
  replica.label_hash = sip_hash(kStableKey, spec.label);
  replica.state_since = now;
  replica.idle_since = now;
  replica.spec = std::move(spec);
  ++servers_[replica.spec.target.server].replicas;
  replicas_.push_back(std::move(replica));
  return replicas_.back().index;
}

void ReplicaSet::revive(Replica& replica, ReplicaSpec spec, Instant now) {
  replica.spec = std::move(spec);
  replica.removed = false;
  replica.state = ReplicaState::kUp;
  replica.state_since = now;
  replica.idle_since = now;
  replica.stats = {};
  replica.scraped_at.reset();
  replica.faults_in_row = 0;
  replica.paused_until.reset();
  ++servers_[replica.spec.target.server].replicas;
}

void ReplicaSet::remove(ReplicaIndex index, Instant now) {
  Replica& replica = (*this)[index];
  if (replica.removed) return;
  replica.removed = true;
  replica.state = ReplicaState::kDown;
  replica.state_since = now;
  --servers_[replica.spec.target.server].replicas;
  drop_if_unused(replica.spec.target.server);
}

void ReplicaSet::lose_cache(ReplicaIndex index) {
  Replica& replica = (*this)[index];
  ++replica.cache;
  replica.resident = 0;
  replica.resident_tokens = 0;
}

bool ReplicaSet::retire(ReplicaIndex index) {
  const Replica& replica = (*this)[index];
  BERTH_CHECK(replica.removed);
  if (replica.in_flight > 0 || replica.bound > 0 || replica.referred > 0) return false;
  replicas_.erase(replicas_.begin() + (&replica - replicas_.data()));
  return true;
}

void ReplicaSet::drop_if_unused(std::uint32_t server) {
  const auto found = servers_.find(server);
  const Server& entry = found->second;
  if (entry.replicas == 0 && entry.ranked == 0 && entry.unranked == 0) servers_.erase(found);
}

void ReplicaSet::set_state(ReplicaIndex index, ReplicaState state, Instant now) {
  Replica& replica = (*this)[index];
  if (replica.removed || replica.state == state) return;
  if (replica.state == ReplicaState::kDown) replica.last_outage = now - replica.state_since;
  replica.state = state;
  replica.state_since = now;
}

const Replica& ReplicaSet::operator[](ReplicaIndex index) const {
  // Only retired replicas leave gaps, so most often it stands in its place.
  if (index < replicas_.size() && replicas_[index].index == index) return replicas_[index];
  const auto found = std::lower_bound(
      replicas_.begin(), replicas_.end(), index,
      [](const Replica& replica, ReplicaIndex wanted) { return replica.index < wanted; });
  BERTH_CHECK(found != replicas_.end() && found->index == index);
  return *found;
}

Replica& ReplicaSet::operator[](ReplicaIndex index) {
  return const_cast<Replica&>(std::as_const(*this)[index]);
}

std::optional<ReplicaIndex> ReplicaSet::find_label(std::string_view label) const {
  for (const Replica& replica : replicas_) {
    if (!replica.removed && replica.spec.label == label) return replica.index;
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

bool ReplicaSet::is_on(ReplicaIndex index, const Servers& servers) const {
  return may_go_to(servers, (*this)[index].spec.target.server);
}

bool ReplicaSet::serves(ReplicaIndex index, const Servers& servers) const {
  const Replica& replica = (*this)[index];
  return !replica.removed && is_on(index, servers) &&
         (replica.state == ReplicaState::kUp || replica.state == ReplicaState::kSuspect);
}

std::optional<int> ReplicaSet::rank_for_new(const Replica& replica) const {
  if (replica.removed) return std::nullopt;
  if (replica.state == ReplicaState::kUp) return replica.paused_until ? 1 : 0;
  if (replica.state == ReplicaState::kSuspect) return 2;
  return std::nullopt;
}

template <typename Allowed>
std::vector<ReplicaIndex> ReplicaSet::best_for_new(const Servers& servers, Allowed allowed) const {
  std::vector<ReplicaIndex> best;
  std::optional<int> best_rank;
  for (const Replica& replica : replicas_) {
    const std::optional<int> rank = rank_for_new(replica);
    if (!rank || !may_go_to(servers, replica.spec.target.server) || !allowed(replica)) continue;
    if (!best_rank || *rank < *best_rank) {
      best.clear();
      best_rank = rank;
    }
    if (rank == best_rank) best.push_back(replica.index);
  }
  return best;
}

std::vector<ReplicaIndex> ReplicaSet::well(const Servers& servers, ReplicaIndex except) const {
  return best_for_new(servers,
                      [&](const Replica& r) { return r.index != except && rank_for_new(r) == 0; });
}

std::vector<ReplicaIndex> ReplicaSet::open_to_new(const Servers& servers,
                                                  ReplicaIndex except) const {
  return best_for_new(servers, [&](const Replica& r) { return r.index != except; });
}

std::vector<ReplicaIndex> ReplicaSet::open_on_other_servers(const Servers& servers,
                                                            std::uint32_t except) const {
  return best_for_new(servers, [&](const Replica& r) { return r.spec.target.server != except; });
}

std::uint32_t ReplicaSet::unranked_share(ReplicaIndex index) const {
  const Server* entry = server((*this)[index].spec.target.server);
  return entry == nullptr || entry->replicas == 0 ? 0 : entry->unranked / entry->replicas;
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
  std::size_t room = at_most - (chosen == kNoReplica ? 0 : 1);
  for (const Replica& replica : replicas_) {
    if (replica.index == chosen) {
      seen.push_back(view(chosen));
    } else if (room > 0 && !replica.removed) {
      seen.push_back(view(replica.index));
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
  drop_if_unused(replica.spec.target.server);
}

void ReplicaSet::take_unranked(std::uint32_t index) { ++servers_[index].unranked; }

void ReplicaSet::release_unranked(std::uint32_t index) {
  Server& entry = servers_[index];
  BERTH_CHECK(entry.unranked > 0);
  --entry.unranked;
  drop_if_unused(index);
}

std::uint32_t ReplicaSet::in_flight_on_server(std::uint32_t index) const {
  const Server* entry = server(index);
  return entry == nullptr ? 0 : entry->ranked + entry->unranked;
}

}  // namespace berth::routing
