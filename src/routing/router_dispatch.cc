// A request comes: where it goes, and its ticket.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "routing/fault_guard.h"
#include "routing/packed_key.h"
#include "routing/rendezvous.h"
#include "routing/router_state.h"
#include "routing/session_hash.h"

namespace berth::routing {
namespace {

// Only a turn loses its home to an endpoint that ignores the rank header; the rest never had one.
Reason unranked_reason(RequestKind kind) {
  switch (kind) {
    case RequestKind::kTurn:
      return Reason::kRankBlind;
    case RequestKind::kSide:
      return Reason::kSideRequest;
    case RequestKind::kUnbindable:
      return Reason::kNoIdentity;
  }
  return Reason::kNoIdentity;
}

}  // namespace

Decision ModelRouter::Impl::dispatch(const RequestFacts& facts, Instant now) {
  if (!settings.affinity) return without_rank(facts, Reason::kAffinityOff);
  if (facts.rank_blind && replicas.any_server_has_ranks()) {
    return without_rank(facts, unranked_reason(facts.kind));
  }
  const std::vector<ReplicaIndex> open = replicas.open_to_new(facts.servers);
  switch (settings.policy) {
    case Policy::kSticky:
      return by_home(facts, now);
    case Policy::kSessionHash:
      return by_hash(facts, now);
    case Policy::kRoundRobin:
      if (open.empty()) return refuse();
      return one_off(facts, round_robin.pick(open), Reason::kPolicy);
    case Policy::kLeastLoaded:
      if (open.empty()) return refuse();
      return one_off(facts, least_loaded.pick(replicas, open), Reason::kPolicy);
  }
  return refuse();
}

bool ModelRouter::Impl::is_side(const RequestFacts& facts, const Binding* binding) const {
  if (facts.kind == RequestKind::kSide) return true;
  if (facts.declared_turn) return false;
  return binding != nullptr && binding->with_tools && facts.tools == 0U;
}

Decision ModelRouter::Impl::by_home(const RequestFacts& facts, Instant now) {
  const bool bindable = facts.kind != RequestKind::kUnbindable && facts.conversation;
  Binding* binding = bindable ? bindings.find(PackedKey(*facts.conversation), now) : nullptr;
  if (is_side(facts, binding)) return side_request(facts, binding);
  if (!bindable) {
    const std::vector<ReplicaIndex> open = replicas.open_to_new(facts.servers);
    if (open.empty()) return refuse();
    return one_off(facts, least_loaded.pick(replicas, open), Reason::kNoIdentity);
  }
  const std::uint64_t hash = placement_hash(*facts.conversation);
  if (binding == nullptr) return place_new(facts, hash, now);
  const std::optional<Choice> choice = sticky(facts.servers, now).next_turn(*binding, hash);
  if (!choice) {
    bindings.settle(*binding, now);
    return refuse();
  }
  return bound(facts, *binding, *choice, hash, now);
}

Decision ModelRouter::Impl::place_new(const RequestFacts& facts, std::uint64_t hash, Instant now) {
  const Binding* parent = facts.parent ? bindings.find(PackedKey(*facts.parent), now) : nullptr;
  const std::optional<Choice> choice =
      sticky(facts.servers, now).place_new(hash, parent, facts.fork);
  if (!choice) return refuse();
  Binding* binding =
      bindings.insert(PackedKey(*facts.conversation), facts.hashes, choice->replica, now);
  if (binding == nullptr) {
    const ReplicaIndex hashed = rendezvous(replicas, replicas.open_to_new(facts.servers), hash);
    return one_off(facts, hashed, Reason::kTableFull);
  }
  return bound(facts, *binding, *choice, hash, now);
}

Decision ModelRouter::Impl::by_hash(const RequestFacts& facts, Instant now) {
  if (facts.kind != RequestKind::kTurn || !facts.conversation) return by_home(facts, now);
  const std::uint64_t hash = placement_hash(*facts.conversation);
  const std::optional<ReplicaIndex> chosen = session_hash(replicas, facts.servers, hash);
  if (!chosen) return refuse();
  Binding* binding = bindings.find(PackedKey(*facts.conversation), now);
  if (binding != nullptr) {
    return bound(facts, *binding, hashed_turn(replicas, facts.servers, *binding, *chosen), hash,
                 now);
  }
  binding = bindings.insert(PackedKey(*facts.conversation), facts.hashes, *chosen, now);
  if (binding == nullptr) return one_off(facts, *chosen, Reason::kTableFull);
  return bound(facts, *binding, {*chosen, Outcome::kPlaced, Reason::kPolicy}, hash, now);
}

Decision ModelRouter::Impl::side_request(const RequestFacts& facts, const Binding* binding) {
  if (facts.prefer_home && binding != nullptr &&
      replicas.serves(binding->lives_at(), facts.servers)) {
    return one_off(facts, binding->lives_at(), Reason::kSideRequest);
  }
  const std::vector<ReplicaIndex> open = replicas.open_to_new(facts.servers);
  if (open.empty()) return refuse();
  return one_off(facts, least_loaded.pick(replicas, open), Reason::kSideRequest);
}

OpenTicket ModelRouter::Impl::server_ticket(const std::vector<ReplicaIndex>& open, Reason reason) {
  OpenTicket ticket;
  ticket.reason = reason;
  ticket.any_rank = true;
  ticket.server = least_loaded.pick_server(replicas, open);
  if (replicas.has_ranks(ticket.server)) return ticket;
  for (const ReplicaIndex i : open) {
    if (replicas[i].spec.target.server == ticket.server) ticket.replica = i;
  }
  return ticket;
}

Decision ModelRouter::Impl::without_rank(const RequestFacts& facts, Reason reason) {
  const std::vector<ReplicaIndex> candidates = replicas.open_to_new(facts.servers);
  if (candidates.empty()) return refuse();
  const OpenTicket ticket = server_ticket(candidates, reason);
  return answer(open(facts, ticket), ticket);
}

Dispatch ModelRouter::Impl::answer(Ticket number, const OpenTicket& ticket) const {
  Dispatch out{number, {ticket.server, std::nullopt}, std::nullopt, ticket.outcome, ticket.reason};
  if (ticket.replica != kNoReplica) {
    out.replica = ticket.replica;
    // Where no rank was chosen none is named, even if the server has only this one.
    if (!ticket.any_rank) out.target = replicas[ticket.replica].spec.target;
  }
  return out;
}

Decision ModelRouter::Impl::one_off(const RequestFacts& facts, ReplicaIndex replica,
                                    Reason reason) {
  OpenTicket ticket;
  ticket.replica = replica;
  ticket.server = replicas[replica].spec.target.server;
  ticket.reason = reason;
  return answer(open(facts, ticket), ticket);
}

Decision ModelRouter::Impl::bound(const RequestFacts& facts, Binding& binding, const Choice& choice,
                                  std::uint64_t hash, Instant now) {
  remember(binding, choice, now);
  OpenTicket ticket;
  ticket.binding = &binding;
  ticket.replica = choice.replica;
  ticket.server = replicas[choice.replica].spec.target.server;
  ticket.outcome = choice.outcome;
  ticket.reason = choice.reason;
  ticket.placement_hash = hash;
  ticket.left = choice.left;
  const Ticket number = open(facts, ticket);
  if (binding.identity == IdentitySource::kNone) binding.identity = facts.identity;
  if (!binding.tokens_exact) binding.tokens = ratio.estimate(facts.body_bytes);
  ++binding.active;
  binding.last_used = now;
  bindings.settle(binding, now);
  return answer(number, ticket);
}

void ModelRouter::Impl::remember(const Binding& binding, const Choice& choice, Instant now) {
  const bool chose_home = choice.outcome == Outcome::kPlaced || choice.outcome == Outcome::kMoved;
  history.add(binding.id(),
              {now, choice.outcome, choice.reason, choice.replica,
               replicas.views(choice.replica, DecisionRecord::kMaxSeen)},
              chose_home);
}

void ModelRouter::Impl::take(const OpenTicket& ticket) {
  if (ticket.replica != kNoReplica) return replicas.take(ticket.replica);
  replicas.take_unranked(ticket.server);
  ++unranked_in_flight;
  unranked.in_flight_peak = std::max(unranked.in_flight_peak, unranked_in_flight);
}

Ticket ModelRouter::Impl::open(const RequestFacts& facts, OpenTicket ticket) {
  ticket.kind = facts.kind;
  ticket.body_bytes = facts.body_bytes;
  ticket.servers = facts.servers;
  ticket.with_tools = facts.tools.value_or(0) > 0;
  take(ticket);
  tickets.emplace(next_ticket, ticket);
  return next_ticket++;
}

Decision ModelRouter::Impl::retry(Ticket number, Instant now) {
  const auto found = tickets.find(number);
  if (found == tickets.end()) return no_replica();
  OpenTicket& ticket = found->second;
  if (ticket.replica != kNoReplica) note_fault(replicas[ticket.replica], now);
  const std::optional<OpenTicket> second = ticket.retried ? std::nullopt : elsewhere(ticket, now);
  if (!second) {
    withdraw(found, now);
    return refuse();
  }
  leave(ticket, now);
  ticket = *second;
  ticket.retried = true;
  if (ticket.binding != nullptr) {
    remember(*ticket.binding, {ticket.replica, ticket.outcome, ticket.reason}, now);
    bindings.settle(*ticket.binding, now);
  }
  take(ticket);
  return answer(number, ticket);
}

std::optional<OpenTicket> ModelRouter::Impl::elsewhere(const OpenTicket& failed, Instant now) {
  OpenTicket next = failed;
  next.reason = Reason::kRetried;
  if (failed.binding != nullptr) {
    const auto choice =
        sticky(failed.servers, now)
            .after_failed_start(*failed.binding,
                                {failed.replica, failed.outcome, failed.reason, failed.left},
                                failed.placement_hash);
    if (!choice) return std::nullopt;
    next.replica = choice->replica;
    next.outcome = choice->outcome;
    next.server = replicas[next.replica].spec.target.server;
    return next;
  }
  const std::vector<ReplicaIndex> others =
      replicas.open_on_other_servers(failed.servers, failed.server);
  if (others.empty()) return std::nullopt;
  if (failed.any_rank) {
    const OpenTicket there = server_ticket(others, Reason::kRetried);
    next.server = there.server;
    next.replica = there.replica;
  } else {
    next.replica = least_loaded.pick(replicas, others);
    next.server = replicas[next.replica].spec.target.server;
  }
  return next;
}

}  // namespace berth::routing
