#include "routing/router.h"

#include <algorithm>
#include <utility>

#include "routing/failover.h"
#include "routing/fault_guard.h"
#include "routing/router_state.h"

namespace berth::routing {
namespace {

// Steps of expiry a call: a tick may do a millisecond of work, a request next to nothing. A request
// makes at most one binding, so expiry keeps up with any rate.
constexpr std::size_t kExpireAtTick = 1024;
constexpr std::size_t kExpireAtRequest = 4;

BindingLimits limits_of(const Settings& settings) {
  return {std::max<std::size_t>(settings.max_bindings, 1), settings.binding_ttl,
          settings.resident_window};
}

}  // namespace

ModelRouter::Impl::Impl(Settings s, std::uint64_t seed)
    : settings(s),
      threshold(threshold_of(settings, 0)),
      slow_start(settings.slow_start),
      bindings(replicas, limits_of(settings), seed),
      chains(settings.max_histories, seed),
      history(settings.max_histories),
      least_loaded(seed),
      round_robin(seed) {
  bindings.on_erase([this](const Binding& binding) { forgotten(binding); });
}

ModelRouter::ModelRouter(Settings settings, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(settings, seed)) {}

ModelRouter::~ModelRouter() = default;

ReplicaIndex ModelRouter::add_replica(ReplicaSpec spec, Instant now) {
  const ReplicaIndex index = impl_->replicas.add(std::move(spec), now);
  if (impl_->any_request) impl_->slow_start.begin(impl_->replicas[index], now);
  return index;
}

void ModelRouter::remove_replica(ReplicaIndex replica, Instant now) {
  impl_->replicas.remove(replica, now);
}

bool ModelRouter::retire_replica(ReplicaIndex replica) {
  const ReplicaCounters counters = impl_->replicas[replica].counters;
  if (!impl_->replicas.retire(replica)) return false;
  impl_->retired += counters;
  return true;
}

void ModelRouter::on_replica_state(ReplicaIndex replica, ReplicaState state, Instant now) {
  Replica& changed = impl_->replicas[replica];
  const bool was_down = changed.state == ReplicaState::kDown;
  impl_->replicas.set_state(replica, state, now);
  if (!was_down || changed.state == ReplicaState::kDown) return;
  if (changed.last_outage > kCacheSurvives) impl_->replicas.lose_cache(replica);
  if (impl_->any_request) impl_->slow_start.begin(changed, now);
}

void ModelRouter::on_restarted(ReplicaIndex replica, Instant now) {
  impl_->replicas.lose_cache(replica);
  if (impl_->any_request) impl_->slow_start.begin(impl_->replicas[replica], now);
}

void ModelRouter::on_capacity(ReplicaIndex replica, std::uint64_t kv_capacity_tokens) {
  impl_->replicas[replica].spec.kv_capacity_tokens = kv_capacity_tokens;
}

void ModelRouter::on_scrape(ReplicaIndex replica, const ReplicaStats& stats, Instant now) {
  impl_->replicas[replica].stats = stats;
  impl_->replicas[replica].scraped_at = now;
  impl_->most_running = std::max(impl_->most_running, stats.running);
  impl_->threshold = threshold_of(impl_->settings, impl_->most_running);
}

void ModelRouter::on_scrape_lost(ReplicaIndex replica) {
  impl_->replicas[replica].stats = {};
  impl_->replicas[replica].scraped_at.reset();
}

void ModelRouter::on_config(const Settings& settings, Instant now) {
  impl_->settings = settings;
  impl_->threshold = threshold_of(settings, impl_->most_running);
  impl_->slow_start.set_window(settings.slow_start);
  impl_->bindings.set_limits(limits_of(settings));
  impl_->chains.set_capacity(settings.max_histories);
  impl_->history.set_capacity(settings.max_histories);
  on_tick(now);
}

std::uint32_t ModelRouter::in_flight(ReplicaIndex replica) const {
  return impl_->replicas[replica].in_flight;
}

std::uint32_t ModelRouter::in_flight_on_server(std::uint32_t server) const {
  return impl_->replicas.in_flight_on_server(server);
}

void ModelRouter::identify_by_content(RequestFacts& facts, const std::vector<ChainHash>& chain,
                                      std::string_view tenant, std::string_view model,
                                      Instant /*now*/) {
  if (chain.empty()) return;
  const bool turn = facts.kind == RequestKind::kTurn;
  std::optional<ConversationKey> parent;
  if (facts.conversation) {
    if (turn) parent = impl_->chains.follow(*facts.conversation, chain);
  } else if (turn) {
    ChainMatch match = impl_->chains.recognise(chain, tenant, model);
    facts.conversation = std::move(match.conversation);
    facts.identity = IdentitySource::kContent;
    parent = std::move(match.parent);
  } else if (auto found = impl_->chains.find(chain, tenant, model)) {
    facts.conversation = std::move(found);
    facts.identity = IdentitySource::kContent;
  }
  // A shared history is a nearer kin than what a header says.
  if (parent) {
    facts.parent = std::move(parent);
    facts.fork = true;
  }
}

Decision ModelRouter::on_request(const RequestFacts& facts, Instant now) {
  impl_->any_request = true;
  impl_->bindings.expire(now, kExpireAtRequest);
  end_pauses(impl_->replicas, now);
  return impl_->dispatch(facts, now);
}

Decision ModelRouter::on_not_started(Ticket ticket, Instant now) {
  return impl_->retry(ticket, now);
}

void ModelRouter::on_first_byte(Ticket ticket, Instant /*now*/) {
  const auto open = impl_->tickets.find(ticket);
  if (open != impl_->tickets.end()) open->second.first_byte = true;
}

void ModelRouter::on_finished(Ticket ticket, const Finish& finish, Instant now) {
  impl_->finish(ticket, finish, now);
}

void ModelRouter::on_gone(Ticket ticket, Instant now) { impl_->gone(ticket, now); }

void ModelRouter::on_unsent(Ticket ticket, Outcome outcome, Instant now) {
  const auto open = impl_->tickets.find(ticket);
  if (open == impl_->tickets.end()) return;
  impl_->withdraw(open, now);
  count_without_dispatch(outcome);
}

void ModelRouter::count_without_dispatch(Outcome outcome) {
  ++impl_->outcomes[static_cast<std::size_t>(outcome)];
}

const Settings& ModelRouter::settings() const { return impl_->settings; }

std::size_t ModelRouter::bindings() const { return impl_->bindings.size(); }

void ModelRouter::on_tick(Instant now) { impl_->bindings.expire(now, kExpireAtTick); }

bool ModelRouter::forget(const ConversationKey& key) {
  impl_->chains.forget(key);
  Binding* binding = impl_->bindings.find(PackedKey(key));
  if (binding == nullptr) return false;
  impl_->bindings.erase(*binding);
  return true;
}

}  // namespace berth::routing
