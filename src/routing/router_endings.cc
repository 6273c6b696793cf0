// A request ends: its ticket is closed and it is counted, exactly once.
#include "routing/fault_guard.h"
#include "routing/router_state.h"

namespace berth::routing {
namespace {

// For how long a client is asked to wait when no replica can take its request: about two rounds of
// health checks, by which time a restarted server is seen again.
constexpr std::uint32_t kRetryAfterSeconds = 5;

constexpr int kFirstErrorStatus = 400;

std::size_t slot(Outcome outcome) { return static_cast<std::size_t>(outcome); }

// The engine's counts, on the replica's account. A request it did not measure counts as computed.
void add_usage(ReplicaCounters& counters, const Usage& usage) {
  counters.prompt_tokens += usage.prompt_tokens.value_or(0);
  counters.cached_tokens += usage.cached_tokens.value_or(0);
  counters.output_tokens += usage.output_tokens.value_or(0);
  if (!usage.cached_tokens) ++counters.unmeasured;
}

}  // namespace

Refused ModelRouter::Impl::no_replica() {
  return {503, kRetryAfterSeconds, "no replica of this model can take the request now"};
}

Refused ModelRouter::Impl::refuse() {
  ++outcomes[slot(Outcome::kRefused)];
  return no_replica();
}

void ModelRouter::Impl::finish(Ticket number, const Finish& finish, Instant now) {
  const auto open = tickets.find(number);
  if (open == tickets.end()) return;
  const OpenTicket ticket = open->second;
  tickets.erase(open);
  leave(ticket, now);
  ReplicaCounters& counters = count(ticket);
  judge(ticket, finish, now);
  if (finish.status < kFirstErrorStatus) {
    add_usage(counters, finish.usage);
    // A stream that broke before its first token left nothing in any cache.
    if (finish.complete || ticket.first_byte) served(ticket, finish.usage);
  }
  release_binding(ticket.binding, now);
  drop_if_empty(ticket.binding);
}

void ModelRouter::Impl::judge(const OpenTicket& ticket, const Finish& finish, Instant now) {
  if (ticket.replica == kNoReplica) return;
  Replica& replica = replicas[ticket.replica];
  if (is_fault(finish.status, finish.complete)) {
    note_fault(replica, now);
  } else if (finish.status < kFirstErrorStatus) {
    note_served(replica);
  }
}

void ModelRouter::Impl::gone(Ticket number, Instant now) {
  const auto open = tickets.find(number);
  if (open == tickets.end()) return;
  const OpenTicket ticket = open->second;
  tickets.erase(open);
  leave(ticket, now);
  count(ticket);
  // After the first token the whole prompt is in the replica's cache, whoever reads the answer.
  if (ticket.first_byte) served(ticket, {});
  release_binding(ticket.binding, now);
}

// Takes the ticket back as if the request had never been sent; the caller counts it.
void ModelRouter::Impl::withdraw(Tickets::iterator open, Instant now) {
  const OpenTicket ticket = open->second;
  tickets.erase(open);
  leave(ticket, now);
  release_binding(ticket.binding, now);
  drop_if_empty(ticket.binding);
}

// A conversation whose first request failed has nothing in any cache: its next try is placed anew,
// where the fault may not be.
void ModelRouter::Impl::drop_if_empty(Binding* binding) {
  if (binding != nullptr && !binding->has_kv()) bindings.erase(*binding);
}

void ModelRouter::Impl::leave(const OpenTicket& ticket, Instant now) {
  if (ticket.replica != kNoReplica) return replicas.release(ticket.replica, now);
  replicas.release_unranked(ticket.server);
  --unranked_in_flight;
}

ReplicaCounters& ModelRouter::Impl::count(const OpenTicket& ticket) {
  ++outcomes[slot(ticket.outcome)];
  if (ticket.reason == Reason::kRankBlind) ++rank_blind;
  ReplicaCounters& counters =
      ticket.replica == kNoReplica ? unranked : replicas[ticket.replica].counters;
  ++counters.requests;
  ++counters.outcomes[slot(ticket.outcome)];
  return counters;
}

void ModelRouter::Impl::served(const OpenTicket& ticket, const Usage& usage) {
  if (ticket.kind == RequestKind::kTurn && usage.prompt_tokens) {
    ratio.learn(ticket.body_bytes, *usage.prompt_tokens);
  }
  if (ticket.binding == nullptr) return;
  Binding& binding = *ticket.binding;
  ++binding.turns;
  binding.with_tools = binding.with_tools || ticket.with_tools;
  if (usage.prompt_tokens) {
    binding.tokens = *usage.prompt_tokens + usage.output_tokens.value_or(0);
    binding.tokens_exact = true;
  }
  if (ticket.replica == binding.home) {
    binding.home_tokens = binding.tokens;
    binding.home_cache = replicas[binding.home].cache;
  } else if (ticket.replica == binding.stand_in) {
    binding.stand_in_cache = replicas[binding.stand_in].cache;
  }
  history.set_usage(binding.id(), usage);
}

void ModelRouter::Impl::release_binding(Binding* binding, Instant now) {
  if (binding == nullptr) return;
  --binding->active;
  binding->last_used = now;
  bindings.settle(*binding, now);
}

void ModelRouter::Impl::forgotten(const Binding& binding) {
  history.erase(binding.id());
  if (binding.active == 0) return;
  for (auto& [number, ticket] : tickets) {
    if (ticket.binding == &binding) ticket.binding = nullptr;
  }
}

}  // namespace berth::routing
