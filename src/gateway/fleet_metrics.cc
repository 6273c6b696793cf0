#include "gateway/fleet_metrics.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "observe/catalogue.h"

namespace berth::gateway {

namespace {

namespace metric = observe::metric;
using observe::Reading;
using routing::Outcome;
using routing::ReplicaSnapshot;

// The models' status, taken once for all the metrics of one scrape: every snapshot takes the
// router's lock.
class StatusView {
 public:
  explicit StatusView(const SharedState& shared) : shared_(shared) {}

  std::vector<observe::ModelStatus> models() {
    constexpr Duration kFresh = std::chrono::milliseconds(100);
    const std::lock_guard lock(mutex_);
    const Instant now = shared_.clock.now();
    if (!taken_ || now - *taken_ > kFresh) {
      models_ = shared_.models.status(now);
      taken_ = now;
    }
    return models_;
  }
  const SharedState& shared() const { return shared_; }

 private:
  const SharedState& shared_;
  std::mutex mutex_;
  std::optional<Instant> taken_;
  std::vector<observe::ModelStatus> models_;
};

// One reading a replica that is there.
template <typename F>
std::vector<Reading> per_replica(StatusView& view, F&& value) {
  std::vector<Reading> out;
  for (const observe::ModelStatus& model : view.models()) {
    for (const observe::ReplicaStatus& replica : model.replicas) {
      if (replica.routing.removed) continue;
      out.push_back(
          {{model.name, replica.routing.spec.label}, static_cast<double>(value(replica))});
    }
  }
  return out;
}

// One reading a replica whose engine was heard of lately: a figure that was not measured is not
// shown, rather than the last one for ever.
template <typename F>
std::vector<Reading> per_scraped_replica(StatusView& view, F&& value) {
  std::vector<Reading> out;
  for (const observe::ModelStatus& model : view.models()) {
    for (const observe::ReplicaStatus& replica : model.replicas) {
      if (replica.routing.removed || !replica.routing.scraped) continue;
      out.push_back(
          {{model.name, replica.routing.spec.label}, static_cast<double>(value(replica))});
    }
  }
  return out;
}

// What went to a server without a rank: no replica has it, so its label is empty. Only for models
// that had such requests.
template <typename F>
void append_unranked(StatusView& view, std::vector<Reading>& out, F&& value) {
  for (const observe::ModelStatus& model : view.models()) {
    if (model.unranked.requests + model.unranked_in_flight == 0) continue;
    out.push_back({{model.name, ""}, static_cast<double>(value(model))});
  }
}

void append_outcomes(std::vector<Reading>& out, const std::string& model,
                     const std::string& replica, const routing::OutcomeCounts& counts) {
  for (std::size_t i = 0; i < routing::kOutcomeCount; ++i) {
    const std::string outcome(routing::outcome_name(static_cast<Outcome>(i)));
    out.push_back({{model, replica, outcome}, static_cast<double>(counts[i])});
  }
}

// Requests by model, replica and outcome. What the model counts and no replica does (refused, sent
// without a rank) appears under an empty replica, so that the sum is every request to the replicas
// that are there. The series of a replica that was removed end, as those of its server do; adding
// its requests to another series would look like a burst of them.
std::vector<Reading> requests(StatusView& view) {
  std::vector<Reading> out;
  for (const observe::ModelStatus& model : view.models()) {
    auto rest = model.outcomes;
    const auto take = [&rest](const routing::OutcomeCounts& counts) {
      for (std::size_t i = 0; i < routing::kOutcomeCount; ++i) rest[i] -= counts[i];
    };
    take(model.retired.outcomes);
    for (const observe::ReplicaStatus& replica : model.replicas) {
      take(replica.routing.counters.outcomes);
      if (replica.routing.removed) continue;
      append_outcomes(out, model.name, replica.routing.spec.label,
                      replica.routing.counters.outcomes);
    }
    append_outcomes(out, model.name, "", rest);
  }
  routing::OutcomeCounts without_model{};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < routing::kOutcomeCount; ++i) {
    without_model[i] = view.shared().metrics.without_model_count(static_cast<Outcome>(i));
    sum += without_model[i];
  }
  if (sum > 0) append_outcomes(out, kNoModel, "", without_model);
  return out;
}

std::vector<Reading> states(StatusView& view) {
  using routing::ReplicaState;
  std::vector<Reading> out;
  for (const observe::ModelStatus& model : view.models()) {
    for (const observe::ReplicaStatus& replica : model.replicas) {
      if (replica.routing.removed) continue;
      for (const auto state : {ReplicaState::kUp, ReplicaState::kSuspect, ReplicaState::kDown,
                               ReplicaState::kDraining}) {
        const double on = replica.routing.state == state ? 1 : 0;
        out.push_back(
            {{model.name, replica.routing.spec.label, std::string(replica_state_name(state))}, on});
      }
    }
  }
  return out;
}

void register_replicas(SharedState& shared, const std::shared_ptr<StatusView>& view) {
  const auto add = [&shared, &view](const observe::MetricSpec& spec,
                                    std::function<double(const observe::ReplicaStatus&)> value) {
    observe::collect(shared.registry, spec,
                     [view, value = std::move(value)] { return per_replica(*view, value); });
  };
  using Status = observe::ReplicaStatus;
  const auto as_double = [](std::uint64_t n) { return static_cast<double>(n); };
  add(metric::kResident, [](const Status& r) { return r.routing.view.resident; });
  add(metric::kKvCapacity,
      [=](const Status& r) { return as_double(r.routing.spec.kv_capacity_tokens); });
  add(metric::kPrefixQueries,
      [=](const Status& r) { return as_double(r.engine ? r.engine->prefix_queries : 0); });
  add(metric::kPrefixHits,
      [=](const Status& r) { return as_double(r.engine ? r.engine->prefix_hits : 0); });
  add(metric::kPreemptions,
      [=](const Status& r) { return as_double(r.engine ? r.engine->preemptions : 0); });
}

// Counts of requests: those of the replicas, and those sent without a rank.
void register_traffic(SharedState& shared, const std::shared_ptr<StatusView>& view) {
  using routing::ReplicaCounters;
  observe::collect(shared.registry, metric::kInFlight, [view] {
    auto out = per_replica(*view, [](const auto& r) { return r.routing.view.in_flight; });
    append_unranked(*view, out, [](const auto& model) { return model.unranked_in_flight; });
    return out;
  });
  const auto add = [&](const observe::MetricSpec& spec, std::uint64_t ReplicaCounters::* count) {
    observe::collect(shared.registry, spec, [view, count] {
      auto out = per_replica(*view, [count](const auto& r) { return r.routing.counters.*count; });
      append_unranked(*view, out, [count](const auto& model) { return model.unranked.*count; });
      return out;
    });
  };
  add(metric::kPromptTokens, &ReplicaCounters::prompt_tokens);
  add(metric::kCachedTokens, &ReplicaCounters::cached_tokens);
  add(metric::kOutputTokens, &ReplicaCounters::output_tokens);
  add(metric::kUnmeasured, &ReplicaCounters::unmeasured);
}

void register_gauges_of_engines(SharedState& shared, const std::shared_ptr<StatusView>& view) {
  const auto add = [&](const observe::MetricSpec& spec,
                       std::function<double(const routing::ReplicaStats&)> value) {
    observe::collect(shared.registry, spec, [view, value = std::move(value)] {
      return per_scraped_replica(*view, [&](const auto& r) { return value(r.routing.stats); });
    });
  };
  add(metric::kRunning, [](const routing::ReplicaStats& stats) { return stats.running; });
  add(metric::kWaiting, [](const routing::ReplicaStats& stats) { return stats.waiting; });
  add(metric::kKvUsage, [](const routing::ReplicaStats& stats) { return stats.kv_usage; });
}

void register_models(SharedState& shared, const std::shared_ptr<StatusView>& view) {
  observe::collect(shared.registry, metric::kRequests, [view] { return requests(*view); });
  observe::collect(shared.registry, metric::kReplicaState, [view] { return states(*view); });
  observe::collect(shared.registry, metric::kBindings, [view] {
    std::vector<Reading> out;
    for (const auto& model : view->models()) {
      out.push_back({{model.name}, static_cast<double>(model.bindings)});
    }
    return out;
  });
  observe::collect(shared.registry, metric::kThreshold, [view] {
    std::vector<Reading> out;
    for (const auto& model : view->models()) {
      out.push_back({{model.name}, static_cast<double>(model.threshold.value)});
    }
    return out;
  });
}

void register_servers(SharedState& shared, const ServerRoster& roster) {
  const auto counted = [&roster](auto member) {
    return [&roster, member] {
      std::vector<Reading> out;
      for (const auto& server : roster.servers()) {
        out.push_back({{server->label}, static_cast<double>(((*server->counts).*member).load())});
      }
      return out;
    };
  };
  observe::collect(shared.registry, metric::kConnects, counted(&ServerCounts::connects));
  observe::collect(shared.registry, metric::kScrapeFailures,
                   counted(&ServerCounts::scrape_failures));
  observe::collect(shared.registry, metric::kReuses, counted(&ServerCounts::reuses));
  observe::collect(shared.registry, metric::kScrapeAge, [&shared, &roster] {
    std::vector<Reading> out;
    for (const observe::ServerStatus& server : roster.status(shared.clock.now())) {
      if (server.scrape_age) out.push_back({{server.label}, to_seconds(*server.scrape_age)});
    }
    return out;
  });
}

double unix_seconds(WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

void register_process(SharedState& shared) {
  observe::collect(shared.registry, metric::kConnections, [&shared] {
    return std::vector<Reading>{{{}, static_cast<double>(shared.connections.load())}};
  });
  observe::collect(shared.registry, metric::kLogDropped, [&shared] {
    return std::vector<Reading>{{{}, static_cast<double>(shared.live()->log->dropped())}};
  });
  observe::collect(shared.registry, metric::kStartTime,
                   [&shared] { return std::vector<Reading>{{{}, unix_seconds(shared.started)}}; });
  observe::collect(shared.registry, metric::kReloadOk, [&shared] {
    return std::vector<Reading>{{{}, shared.metrics.last_reload_ok() ? 1.0 : 0.0}};
  });
  observe::collect(shared.registry, metric::kReloadTime, [&shared] {
    return std::vector<Reading>{{{}, unix_seconds(shared.metrics.configured_at())}};
  });
  observe::collect(shared.registry, metric::kBuildInfo,
                   [] { return std::vector<Reading>{{{BERTH_VERSION, __VERSION__}, 1}}; });
}

}  // namespace

void register_fleet_metrics(SharedState& shared, const ServerRoster& roster) {
  const auto view = std::make_shared<StatusView>(shared);
  register_models(shared, view);
  register_traffic(shared, view);
  register_replicas(shared, view);
  register_gauges_of_engines(shared, view);
  register_servers(shared, roster);
  register_process(shared);
}

}  // namespace berth::gateway
