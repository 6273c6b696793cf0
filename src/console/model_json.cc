#include "console/model_json.h"

#include "console/snapshot_json.h"

namespace berth::console {
namespace {

using observe::FleetStatus;
using observe::ModelStatus;
using observe::ReplicaStatus;
using observe::ServerStatus;
using routing::Outcome;

const ServerStatus* server_of(const ReplicaStatus& replica, const FleetStatus& fleet) {
  for (const ServerStatus& server : fleet.servers) {
    if (server.index == replica.routing.spec.target.server) return &server;
  }
  return nullptr;
}

// Whether the engine's gauges of this replica speak of now.
bool engine_known(const ReplicaStatus& replica, const FleetStatus& fleet) {
  const ServerStatus* server = server_of(replica, fleet);
  return replica.engine && replica.routing.scraped && server != nullptr && !is_stale(*server);
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
Json or_null(const std::optional<std::uint64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json positive_or_null(std::uint64_t value) { return value == 0 ? Json(nullptr) : Json(value); }

void add_outcomes(Json& json, const OutcomeCounts& outcomes) {
  for (std::size_t i = 0; i < routing::kOutcomeCount; ++i) {
    json[std::string(routing::outcome_name(static_cast<Outcome>(i)))] = outcomes[i];
  }
}

void add_known(std::optional<std::uint64_t>& sum, std::optional<std::uint64_t> value) {
  if (value) sum = sum.value_or(0) + *value;
}

void add_tokens(Totals& totals, const routing::ReplicaCounters& counters) {
  totals.prompt_tokens += counters.prompt_tokens;
  totals.cached_tokens += counters.cached_tokens;
  totals.unmeasured += counters.unmeasured;
  totals.output_tokens += counters.output_tokens;
}

Totals replica_totals(const ReplicaStatus& replica, const FleetStatus& fleet) {
  const routing::ReplicaSnapshot& routing = replica.routing;
  Totals totals;
  totals.outcomes = routing.counters.outcomes;
  if (engine_known(replica, fleet)) {
    totals.running = routing.stats.running;
    totals.waiting = routing.stats.waiting;
  }
  totals.in_flight = routing.view.in_flight;
  totals.resident = routing.view.resident;
  totals.resident_tokens = routing.view.resident_tokens;
  totals.kv_capacity_tokens = routing.removed ? 0 : routing.spec.kv_capacity_tokens;
  totals.kv_capacity_known = routing.removed || routing.spec.kv_capacity_tokens > 0;
  add_tokens(totals, routing.counters);
  totals.bindings = routing.bound;
  if (replica.engine) {
    totals.prefix_queries = replica.engine->prefix_queries;
    totals.prefix_hits = replica.engine->prefix_hits;
  }
  return totals;
}

void add_token_fields(Json& json, const Totals& totals) {
  json["prompt_tokens"] = totals.prompt_tokens;
  json["cached_tokens"] = totals.cached_tokens;
  json["unmeasured"] = totals.unmeasured;
  json["output_tokens"] = totals.output_tokens;
}

Json unranked_json(const ModelStatus& model) {
  Totals totals;
  add_tokens(totals, model.unranked);
  Json json;
  json["requests"] = model.unranked.requests;
  json["in_flight"] = model.unranked_in_flight;
  add_token_fields(json, totals);
  return json;
}

Json engine_json(const observe::EngineCounters& engine) {
  Json json;
  json["prefix_queries"] = engine.prefix_queries;
  json["prefix_hits"] = engine.prefix_hits;
  json["prompt_tokens"] = engine.prompt_tokens;
  json["generation_tokens"] = engine.generation_tokens;
  json["preemptions"] = engine.preemptions;
  return json;
}

void add_place(Json& json, const ReplicaStatus& replica, const FleetStatus& fleet, Instant now) {
  const routing::ReplicaSnapshot& routing = replica.routing;
  const ServerStatus* server = server_of(replica, fleet);
  json["index"] = routing.index;
  json["label"] = routing.spec.label;
  json["server"] = server != nullptr ? Json(server->url) : Json(nullptr);
  json["rank"] = routing.spec.target.rank ? Json(*routing.spec.target.rank) : Json(nullptr);
  json["state"] = routing.removed ? "removed" : std::string(replica_state_name(routing.state));
  json["why"] = replica.why;
  json["state_since_s"] = seconds_json(now - routing.state_since);
  json["operator_drain"] = replica.operator_drain;
  json["stale"] = !routing.scraped || server == nullptr || is_stale(*server);
}

Json replica_json(const ReplicaStatus& replica, const FleetStatus& fleet, Instant now) {
  const routing::ReplicaSnapshot& routing = replica.routing;
  const Totals totals = replica_totals(replica, fleet);
  Json json;
  add_place(json, replica, fleet, now);
  json["requests"] = routing.counters.requests;
  add_outcomes(json, totals.outcomes);
  json["running"] = or_null(totals.running);
  json["waiting"] = or_null(totals.waiting);
  json["in_flight"] = totals.in_flight;
  json["in_flight_peak"] = routing.counters.in_flight_peak;
  json["bindings"] = totals.bindings;
  json["resident"] = totals.resident;
  json["resident_tokens"] = totals.resident_tokens;
  json["kv_capacity_tokens"] = positive_or_null(totals.kv_capacity_tokens);
  json["kv_usage"] = engine_known(replica, fleet) ? Json(routing.stats.kv_usage) : Json(nullptr);
  json["prefix_hit_share"] = or_null(share(totals.prefix_hits, totals.prefix_queries));
  add_token_fields(json, totals);
  json["engine"] = replica.engine ? engine_json(*replica.engine) : Json(nullptr);
  return json;
}

}  // namespace

bool is_stale(const ServerStatus& server) {
  return !server.scrape_age || *server.scrape_age > kStaleAfter;
}

Totals& Totals::operator+=(const Totals& other) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] += other.outcomes[i];
  add_known(running, other.running);
  add_known(waiting, other.waiting);
  in_flight += other.in_flight;
  resident += other.resident;
  resident_tokens += other.resident_tokens;
  kv_capacity_tokens += other.kv_capacity_tokens;
  kv_capacity_known = kv_capacity_known && other.kv_capacity_known;
  prompt_tokens += other.prompt_tokens;
  cached_tokens += other.cached_tokens;
  unmeasured += other.unmeasured;
  output_tokens += other.output_tokens;
  bindings += other.bindings;
  prefix_queries += other.prefix_queries;
  prefix_hits += other.prefix_hits;
  return *this;
}

Totals model_totals(const ModelStatus& model, const FleetStatus& fleet) {
  Totals totals;
  for (const ReplicaStatus& replica : model.replicas) totals += replica_totals(replica, fleet);
  // The model also counts what no replica was chosen for: refusals, and requests the engine's own
  // balancer took.
  totals.outcomes = model.outcomes;
  totals.in_flight += model.unranked_in_flight;
  add_tokens(totals, model.unranked);
  add_tokens(totals, model.retired);
  totals.prefix_queries += model.retired_engine.prefix_queries;
  totals.prefix_hits += model.retired_engine.prefix_hits;
  totals.bindings = model.bindings;
  return totals;
}

Json totals_json(const Totals& totals) {
  Json json;
  json["requests"] = dispatched(totals.outcomes);
  add_outcomes(json, totals.outcomes);
  json["sticky_share"] = or_null(sticky_share(totals.outcomes));
  json["running"] = or_null(totals.running);
  json["waiting"] = or_null(totals.waiting);
  json["in_flight"] = totals.in_flight;
  json["bindings"] = totals.bindings;
  json["resident"] = totals.resident;
  json["resident_tokens"] = totals.resident_tokens;
  json["kv_capacity_tokens"] =
      totals.kv_capacity_known ? positive_or_null(totals.kv_capacity_tokens) : Json(nullptr);
  json["prefix_hit_share"] = or_null(share(totals.prefix_hits, totals.prefix_queries));
  add_token_fields(json, totals);
  return json;
}

Json threshold_json(const routing::Threshold& threshold) {
  Json json;
  json["value"] = threshold.value;
  json["text"] = threshold.text();
  json["auto"] = threshold.automatic;
  json["assumed"] = threshold.automatic && threshold.assumed;
  return json;
}

Json model_json(const ModelStatus& model, const FleetStatus& fleet, Instant now) {
  Json json;
  json["name"] = model.name;
  json["aliases"] = model.aliases;
  json["adapters"] = model.adapters;
  json["affinity"] = model.settings.affinity;
  json["policy"] = routing::policy_name(model.settings.policy);
  json["overflow_threshold"] = threshold_json(model.threshold);
  json["max_num_seqs"] =
      model.settings.max_num_seqs ? Json(*model.settings.max_num_seqs) : Json(nullptr);
  json["outcomes"] = Json::object();
  add_outcomes(json["outcomes"], model.outcomes);
  json["sticky_share"] = or_null(sticky_share(model.outcomes));
  json["unranked"] = unranked_json(model);
  json["rank_blind"] = model.rank_blind;
  json["bindings"] = model.bindings;
  json["totals"] = totals_json(model_totals(model, fleet));
  json["replicas"] = Json::array();
  for (const ReplicaStatus& replica : model.replicas) {
    json["replicas"].push_back(replica_json(replica, fleet, now));
  }
  json["advice"] = model.advice;
  return json;
}

}  // namespace berth::console
