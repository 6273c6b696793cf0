// A gateway made up by a test: a status set by hand, and a record of what was asked to change. For
// the tests of src/console and src/cli only.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "observe/status.h"

namespace berth::console {

class FakeSource final : public observe::StatusSource {
 public:
  observe::FleetStatus fleet;
  std::map<std::string, std::vector<observe::ModelExplanation>> sessions;
  bool is_ready = true;
  std::string metrics = "# TYPE berth_requests_total counter\nberth_requests_total 3\n";
  std::vector<std::pair<std::string, observe::RoutingChange>> changes;
  std::vector<std::string> drains;  // "model|label|on"

  observe::FleetStatus status() const override { return fleet; }
  std::vector<observe::ModelExplanation> explain(const std::string& session) const override {
    const auto found = sessions.find(session);
    return found == sessions.end() ? std::vector<observe::ModelExplanation>{} : found->second;
  }
  Result<void> change_routing(const std::string& model,
                              const observe::RoutingChange& change) override {
    auto* known = find(model);
    if (known == nullptr) return fail(ErrorCode::kNotFound, "no model " + model);
    if (change.affinity) known->settings.affinity = *change.affinity;
    if (change.policy) known->settings.policy = *change.policy;
    if (change.overflow_threshold && *change.overflow_threshold) {
      known->threshold = {**change.overflow_threshold, false, false};
    }
    changes.emplace_back(model, change);
    return {};
  }
  Result<void> set_drain(const std::string& model, const std::string& label, bool drain) override {
    if (find(model) == nullptr) return fail(ErrorCode::kNotFound, "no model " + model);
    drains.push_back(model + '|' + label + '|' + (drain ? "on" : "off"));
    return {};
  }
  std::string metrics_text() const override { return metrics; }
  bool ready() const override { return is_ready; }
  std::string hash_of(const std::string& id) const override { return "hash(" + id + ")"; }

  // A fleet of one server with ranks 0 and 1 of model "org/qwen3-4b", rank 0 busy, seen at `now`.
  static FakeSource two_ranks(Instant now);
  // The conversation of session "s1" at rank 0, placed a minute before `now` and sticky since.
  static observe::ModelExplanation conversation(Instant now);

 private:
  observe::ModelStatus* find(const std::string& name) {
    for (observe::ModelStatus& model : fleet.models) {
      if (model.name == name) return &model;
    }
    return nullptr;
  }
};

inline observe::ReplicaStatus fake_replica(std::uint32_t index, Instant since) {
  observe::ReplicaStatus replica;
  replica.routing.index = index;
  replica.routing.spec.target = {0, static_cast<int>(index)};
  replica.routing.spec.label = "gpu0:8000#" + std::to_string(index);
  replica.routing.spec.kv_capacity_tokens = 40'000;
  replica.routing.state_since = since;
  replica.routing.scraped = true;
  replica.engine = observe::EngineCounters{};
  return replica;
}

inline routing::ReplicaView fake_view(std::uint32_t replica, std::uint32_t in_flight,
                                      std::uint32_t resident, std::uint64_t tokens,
                                      double kv_usage) {
  routing::ReplicaView view;
  view.replica = replica;
  view.in_flight = in_flight;
  view.resident = resident;
  view.resident_tokens = tokens;
  view.kv_usage = kv_usage;
  return view;
}

inline FakeSource FakeSource::two_ranks(Instant now) {
  using std::chrono::seconds;
  FakeSource source;
  source.fleet.started = WallTime{seconds(1'790'000'000)};
  source.fleet.uptime = seconds(7'380);
  source.fleet.servers.push_back(
      {0, "http://gpu0:8000", "gpu0:8000", "up", "", seconds(7'380), seconds(1)});
  observe::ModelStatus model;
  model.name = "org/qwen3-4b";
  model.aliases = {"claude-sonnet"};
  model.bindings = 7;
  // placed, sticky, overflow, moved, failover, unbound, refused, abandoned
  model.outcomes = {7, 1'200, 30, 2, 1, 18, 3, 1};
  model.unranked.requests = 5;
  model.unranked.prompt_tokens = 40'000;
  model.unranked.cached_tokens = 9'000;
  model.unranked_in_flight = 1;
  observe::ReplicaStatus busy = fake_replica(0, now - seconds(7'380));
  busy.routing.counters.requests = 1'040;
  busy.routing.counters.outcomes = {4, 1'000, 20, 2, 1, 13, 0, 0};
  busy.routing.counters.prompt_tokens = 2'000'000;
  busy.routing.counters.cached_tokens = 1'800'000;
  busy.routing.counters.output_tokens = 88'000;
  busy.routing.counters.unmeasured = 1;
  busy.routing.counters.in_flight_peak = 9;
  busy.routing.stats = {3, 1, 0.725};
  busy.routing.view = fake_view(0, 4, 5, 38'200, 0.725);
  busy.routing.bound = 5;
  busy.engine = observe::EngineCounters{2'000'000, 1'728'000, 2'000'000, 90'000, 0};
  observe::ReplicaStatus idle = fake_replica(1, now - seconds(42));
  idle.routing.counters.requests = 213;
  idle.routing.counters.outcomes = {3, 200, 10, 0, 0, 0, 0, 0};
  idle.routing.view = fake_view(1, 0, 2, 950, 0);
  idle.routing.bound = 2;
  model.replicas = {busy, idle};
  model.advice = {"Replica gpu0:8000#0 holds 2.5 times the conversations of gpu0:8000#1."};
  source.fleet.models.push_back(model);
  return source;
}

inline observe::ModelExplanation FakeSource::conversation(Instant now) {
  using routing::Outcome;
  using routing::Reason;
  using std::chrono::seconds;
  observe::ModelExplanation found;
  found.model = "org/qwen3-4b";
  found.conversation = "0123456789abcdef";
  found.home_label = "gpu0:8000#0";
  found.bound_age = seconds(60);
  found.idle = seconds(4);
  routing::Explanation& why = found.explanation;
  why.key = {"team-a", "org/qwen3-4b", "s1", ""};
  why.identity = routing::IdentitySource::kClaudeCode;
  why.home = 0;
  why.turns = 2;
  why.tokens = 12'345;
  why.tokens_exact = true;
  why.last_usage = {12'300, 11'900, 45};
  why.history.push_back({now - seconds(60),
                         Outcome::kPlaced,
                         Reason::kNewConversation,
                         0,
                         {fake_view(0, 0, 1, 2'000, 0.05), fake_view(1, 2, 3, 18'400, 0.41)}});
  why.history.push_back(
      {now - seconds(4), Outcome::kSticky, Reason::kHome, 0, {fake_view(0, 1, 2, 14'000, 0.3)}});
  return found;
}

}  // namespace berth::console
