// The parts of a ModelRouter and the steps its events are made of. Private to the router_*.cc
// files.
//
// router.cc            events of the fleet, and the entry points
// router_dispatch.cc   a request comes: where it goes, opening its ticket
// router_endings.cc    a request ends: closing its ticket, the accounts
// router_views.cc      explain and snapshot
// saved_bindings.cc    export and import
#pragma once

#include <optional>
#include <vector>

#include "routing/binding_table.h"
#include "routing/chain_index.h"
#include "routing/history.h"
#include "routing/least_loaded.h"
#include "routing/replica_set.h"
#include "routing/round_robin.h"
#include "routing/router.h"
#include "routing/slow_start.h"
#include "routing/sticky.h"
#include "routing/tickets.h"
#include "routing/token_ratio.h"

namespace berth::routing {

struct ModelRouter::Impl {
  Impl(Settings s, std::uint64_t seed);

  // router_dispatch.cc
  Decision dispatch(const RequestFacts& facts, Instant now);
  Decision by_home(const RequestFacts& facts, Instant now);
  Decision by_hash(const RequestFacts& facts, Instant now);
  Decision place_new(const RequestFacts& facts, std::uint64_t hash, Instant now);
  Decision side_request(const RequestFacts& facts, const Binding* binding);
  Decision without_rank(const RequestFacts& facts, Reason reason);
  Decision one_off(const RequestFacts& facts, ReplicaIndex replica, Reason reason);
  Decision bound(const RequestFacts& facts, Binding& binding, const Choice& choice,
                 std::uint64_t hash, Instant now);
  Decision retry(Ticket ticket, Instant now);
  std::optional<OpenTicket> elsewhere(const OpenTicket& failed, Instant now);
  OpenTicket server_ticket(const std::vector<ReplicaIndex>& open, Reason reason);
  Dispatch answer(Ticket number, const OpenTicket& ticket) const;
  void take(const OpenTicket& ticket);
  bool is_side(const RequestFacts& facts, const Binding* binding) const;
  Ticket open(const RequestFacts& facts, OpenTicket ticket);
  void remember(const Binding& binding, const Choice& choice, Instant now);
  // For one decision: `servers` must outlive it.
  Sticky sticky(const Servers& servers, Instant now) {
    return {replicas, slow_start, settings, threshold.value, servers, now};
  }

  // router_endings.cc
  static Refused no_replica();
  Refused refuse();  // and counts it
  void finish(Ticket ticket, const Finish& finish, Instant now);
  void gone(Ticket ticket, Instant now);
  void withdraw(Tickets::iterator open, Instant now);
  ReplicaCounters& count(const OpenTicket& ticket);
  void judge(const OpenTicket& ticket, const Finish& finish, Instant now);
  void drop_if_empty(Binding* binding);
  void served(const OpenTicket& ticket, const Usage& usage);
  void release_binding(Binding* binding, Instant now);
  void leave(const OpenTicket& ticket, Instant now);
  void forgotten(const Binding& binding);

  // saved_bindings.cc
  bool take_back(const SavedBinding& saved, Instant now);

  Settings settings;
  std::uint32_t most_running = 0;
  Threshold threshold;
  ReplicaSet replicas;
  SlowStart slow_start;
  BindingTable bindings;
  ChainIndex chains;
  History history;
  TokenRatio ratio;
  LeastLoaded least_loaded;
  RoundRobin round_robin;
  Tickets tickets;
  Ticket next_ticket = 1;
  OutcomeCounts outcomes{};
  ReplicaCounters unranked;
  ReplicaCounters retired;
  std::uint32_t unranked_in_flight = 0;
  std::uint64_t rank_blind = 0;
  bool any_request = false;
};

}  // namespace berth::routing
