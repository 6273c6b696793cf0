// The replicas of one model and their load, as routing knows it.
//
// Owned by the ModelRouter; plain state, no policy. A replica keeps its index for ever, and no
// index is given twice: a removed replica stays, so that counters and bindings never point at
// another one, until retire() finds that nothing refers to it. One whose label comes back before
// that is the same replica again. Loops go in the order of indices, so no decision depends on the
// order of a hash table.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "routing/replica_counters.h"
#include "routing/types.h"

namespace berth::routing {

inline constexpr ReplicaIndex kNoReplica = std::numeric_limits<ReplicaIndex>::max();

struct Replica {
  ReplicaIndex index = 0;
  ReplicaSpec spec;
  std::uint64_t label_hash = 0;  // stable over processes
  ReplicaState state = ReplicaState::kUp;
  Instant state_since{};
  Duration last_outage{};  // how long it was last down
  bool removed = false;

  std::uint32_t in_flight = 0;
  Instant idle_since{};  // when in_flight last fell to zero
  ReplicaCounters counters;

  ReplicaStats stats;
  std::optional<Instant> scraped_at;

  // Kept by the fault guard: while paused it takes no new work.
  std::uint32_t faults_in_row = 0;
  std::optional<Instant> paused_until;

  // Kept by the BindingTable.
  std::uint32_t resident = 0;
  std::uint64_t resident_tokens = 0;
  std::uint64_t bound = 0;
  std::uint64_t referred = 0;  // bindings that name it as stand-in or last overflow

  // How often its KV cache is known to have been lost. What a binding remembers of an earlier one
  // counts no more (Binding::home_cache, BindingTable::recount).
  std::uint32_t cache = 0;

  // Kept by SlowStart: when a fresh replica began to take conversations, and its share not yet
  // used.
  std::optional<Instant> fresh_since;
  double fresh_credit = 0;
};

class ReplicaSet {
 public:
  ReplicaIndex add(ReplicaSpec spec, Instant now);
  void remove(ReplicaIndex index, Instant now);
  // Its cache is empty: nothing is resident there until it is served again.
  void lose_cache(ReplicaIndex index);
  // Forgets a removed replica without open tickets and bindings; false while it has any.
  bool retire(ReplicaIndex index);
  void set_state(ReplicaIndex index, ReplicaState state, Instant now);

  // In the order of their indices, the removed ones among them.
  const std::vector<Replica>& all() const { return replicas_; }
  std::vector<Replica>& all() { return replicas_; }
  // One past the highest index ever given.
  ReplicaIndex end() const { return next_; }
  Replica& operator[](ReplicaIndex index);
  const Replica& operator[](ReplicaIndex index) const;
  std::optional<ReplicaIndex> find_label(std::string_view label) const;

  // Does the server have several replicas (ranks) of this model? Then a target may leave the rank
  // open.
  bool has_ranks(std::uint32_t server) const;
  bool any_server_has_ranks() const;

  // All of these look at the replicas on `servers` only.
  // Is it one of them?
  bool is_on(ReplicaIndex index, const Servers& servers) const;
  // May requests of its own conversations go there? Up and suspect: yes; draining, down, removed:
  // no.
  bool serves(ReplicaIndex index, const Servers& servers) const;
  // Replicas that are up and not paused, in index order, without `except`.
  std::vector<ReplicaIndex> well(const Servers& servers, ReplicaIndex except = kNoReplica) const;
  // Replicas that may take work that is not their own: the well ones; if there are none those
  // paused, then those suspect. In index order, without `except`.
  std::vector<ReplicaIndex> open_to_new(const Servers& servers,
                                        ReplicaIndex except = kNoReplica) const;
  // The same without all replicas of one server.
  std::vector<ReplicaIndex> open_on_other_servers(const Servers& servers,
                                                  std::uint32_t server) const;

  // Requests in flight there, with its share of those sent to its server without a rank (vLLM
  // spreads them).
  std::uint32_t load(ReplicaIndex index) const;
  std::uint32_t unranked_share(ReplicaIndex index) const;
  // KV usage as far as it can be believed. A scrape older than the end of our last request there
  // still shows that request, so an idle replica's usage counts only when it was scraped while
  // idle.
  double kv_usage(ReplicaIndex index) const;
  ReplicaView view(ReplicaIndex index) const;
  // All but the removed ones, in index order, at most `at_most`; `chosen` is always among them.
  std::vector<ReplicaView> views(ReplicaIndex chosen, std::size_t at_most) const;

  void take(ReplicaIndex index);
  void release(ReplicaIndex index, Instant now);
  void take_unranked(std::uint32_t server);
  void release_unranked(std::uint32_t server);
  // All requests in flight on a server, with and without a rank.
  std::uint32_t in_flight_on_server(std::uint32_t server) const;
  std::uint32_t ranks(std::uint32_t server) const;

 private:
  struct Server {
    std::uint32_t replicas = 0;  // not removed
    std::uint32_t ranked = 0;    // requests in flight with a rank
    std::uint32_t unranked = 0;  // and without
  };
  const Server* server(std::uint32_t index) const;
  void drop_if_unused(std::uint32_t server);
  void revive(Replica& replica, ReplicaSpec spec, Instant now);
  // 0: well, 1: paused, 2: suspect; none: takes nothing new.
  std::optional<int> rank_for_new(const Replica& replica) const;
  template <typename Allowed>
  std::vector<ReplicaIndex> best_for_new(const Servers& servers, Allowed allowed) const;

  std::vector<Replica> replicas_;  // by index, with gaps where some were retired
  ReplicaIndex next_ = 0;
  std::map<std::uint32_t, Server> servers_;
};

}  // namespace berth::routing
