// What the gateway can tell and be told from outside the data path: the seam between it and the
// admin API.
//
// Implemented by gateway::Gateway, used by src/console and, through it, the command line. Every
// call is safe from any thread and returns a copy taken at one moment a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "routing/router.h"

namespace berth::observe {

struct ServerStatus {
  std::uint32_t index = 0;
  std::string url;
  std::string label;      // "gpu0:8000", as in metrics and replica labels
  std::string health;     // up, suspect, down
  std::string why;        // plain words, empty when up
  Duration health_age{};  // since it changed
  std::optional<Duration> scrape_age;
};

// The engine's own counters of one replica, monotonic over engine restarts. Absent until first
// scraped.
struct EngineCounters {
  std::uint64_t prefix_queries = 0;
  std::uint64_t prefix_hits = 0;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t generation_tokens = 0;
  std::uint64_t preemptions = 0;

  EngineCounters& operator+=(const EngineCounters& other) {
    prefix_queries += other.prefix_queries;
    prefix_hits += other.prefix_hits;
    prompt_tokens += other.prompt_tokens;
    generation_tokens += other.generation_tokens;
    preemptions += other.preemptions;
    return *this;
  }
};

struct ReplicaStatus {
  routing::ReplicaSnapshot routing;
  std::optional<EngineCounters> engine;  // since Berth's start
  bool operator_drain = false;
  std::string why;  // its own trouble, not its server's: plain words, empty when there is none
};

struct ModelStatus {
  std::string name;
  std::vector<std::string> aliases;
  std::vector<std::string> adapters;
  routing::Settings settings;
  routing::Threshold threshold;
  std::array<std::uint64_t, routing::kOutcomeCount> outcomes{};
  std::uint64_t bindings = 0;
  // Requests sent to a server without a rank: its own balancer chose, no replica has them.
  routing::ReplicaCounters unranked;
  std::uint32_t unranked_in_flight = 0;
  // Of replicas that were removed, once nothing refers to them any more: they are not listed.
  routing::ReplicaCounters retired;
  EngineCounters retired_engine;
  std::uint64_t rank_blind = 0;  // requests unbound because the endpoint ignores the rank header
  std::vector<ReplicaStatus> replicas;
  std::vector<std::string> advice;  // plain sentences when something is wrong or could be better
};

struct FleetStatus {
  WallTime started{};
  Duration uptime{};
  bool draining = false;
  bool loading = false;  // the bindings of the last run are being read; no client is served yet
  std::vector<ServerStatus> servers;
  std::vector<ModelStatus> models;
};

struct ModelExplanation {
  std::string model;
  std::string conversation;  // its keyed hash, as in the access log
  routing::Explanation explanation;
  std::string home_label;
  Duration bound_age{};
  Duration idle{};
};

// Absent fields stay as they are.
struct RoutingChange {
  std::optional<bool> affinity;
  std::optional<routing::Policy> policy;
  // Outer absent: unchanged; inner absent: "auto".
  std::optional<std::optional<std::uint32_t>> overflow_threshold;
};

class StatusSource {
 public:
  virtual ~StatusSource() = default;
  virtual FleetStatus status() const = 0;
  // All conversations of a session, over all models and tenants. `session` is the plain id or its
  // keyed hash (16 hex digits).
  virtual std::vector<ModelExplanation> explain(const std::string& session) const = 0;
  // kNotFound: no such model (or replica).
  virtual Result<void> change_routing(const std::string& model, const RoutingChange& change) = 0;
  virtual Result<void> set_drain(const std::string& model, const std::string& replica_label,
                                 bool drain) = 0;
  virtual std::string metrics_text() const = 0;
  // Whether requests can be taken: at least one model has a replica up, the start is over and no
  // shutdown is under way.
  virtual bool ready() const = 0;
  // The keyed hash a session id has in logs and pages.
  virtual std::string hash_of(const std::string& id) const = 0;
};

}  // namespace berth::observe
