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

// Requests by model, replica and outcome. What the model counts and no replica does (refused, sent
// without a rank, replicas since removed) appears under an empty replica, so that the sum is every
// request.
std::vector<Reading> requests(StatusView& view) {
  std::vector<Reading> out;
  for (const observe::ModelStatus& model : view.models()) {
    auto rest = model.outcomes;
    for (const observe::ReplicaStatus& replica : model.replicas) {
      if (replica.routing.removed) continue;
      for (std::size_t i = 0; i < routing::kOutcomeCount; ++i) {
        const std::uint64_t n = replica.routing.counters.outcomes[i];
        rest[i] -= n;
        const std::string outcome(routing::outcome_name(static_cast<Outcome>(i)));
        out.push_back({{model.name, replica.routing.spec.label, outcome}, static_cast<double>(n)});
      }
    }
    for (std::size_t i = 0; i < routing::kOutcomeCount; ++i) {
      const std::string outcome(routing::outcome_name(static_cast<Outcome>(i)));
      out.push_back({{model.name, "", outcome}, static_cast<double>(rest[i])});
    }
  }
  for (std::size_t i = 0; i < routing::kOutcomeCount; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    const double n = static_cast<double>(view.shared().metrics.without_model_count(outcome));
    if (n > 0) out.push_back({{kNoModel, "", std::string(routing::outcome_name(outcome))}, n});
  }
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
  add(metric::kInFlight, [](const Status& r) { return r.routing.view.in_flight; });
  add(metric::kPromptTokens,
      [=](const Status& r) { return as_double(r.routing.counters.prompt_tokens); });
  add(metric::kCachedTokens,
      [=](const Status& r) { return as_double(r.routing.counters.cached_tokens); });
  add(metric::kOutputTokens,
      [=](const Status& r) { return as_double(r.routing.counters.output_tokens); });
  add(metric::kUnmeasured,
      [=](const Status& r) { return as_double(r.routing.counters.unmeasured); });
  add(metric::kResident, [](const Status& r) { return r.routing.view.resident; });
  add(metric::kRunning, [](const Status& r) { return r.routing.stats.running; });
  add(metric::kWaiting, [](const Status& r) { return r.routing.stats.waiting; });
  add(metric::kKvUsage, [](const Status& r) { return r.routing.stats.kv_usage; });
  add(metric::kKvCapacity,
      [=](const Status& r) { return as_double(r.routing.spec.kv_capacity_tokens); });
  add(metric::kPrefixQueries,
      [=](const Status& r) { return as_double(r.engine ? r.engine->prefix_queries : 0); });
  add(metric::kPrefixHits,
      [=](const Status& r) { return as_double(r.engine ? r.engine->prefix_hits : 0); });
  add(metric::kPreemptions,
      [=](const Status& r) { return as_double(r.engine ? r.engine->preemptions : 0); });
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

void register_process(SharedState& shared) {
  observe::collect(shared.registry, metric::kConnections, [&shared] {
    return std::vector<Reading>{{{}, static_cast<double>(shared.connections.load())}};
  });
  observe::collect(shared.registry, metric::kLogDropped, [&shared] {
    return std::vector<Reading>{{{}, static_cast<double>(shared.live()->log->dropped())}};
  });
  const double started =
      std::chrono::duration<double>(shared.clock.wall().time_since_epoch()).count();
  observe::collect(shared.registry, metric::kStartTime,
                   [started] { return std::vector<Reading>{{{}, started}}; });
}

}  // namespace

void register_fleet_metrics(SharedState& shared, const ServerRoster& roster) {
  const auto view = std::make_shared<StatusView>(shared);
  register_models(shared, view);
  register_replicas(shared, view);
  register_servers(shared, roster);
  register_process(shared);
}

}  // namespace berth::gateway
