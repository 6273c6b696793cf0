// One model behind the gateway: its router, and what turns the router's indices into servers and
// labels.
//
// Shared by every thread. The router is not thread safe; with_router() is the one way to it and
// holds this model's mutex. The calls made under it are short and never block.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/upstream_server.h"
#include "observe/metrics.h"
#include "observe/status.h"
#include "routing/router.h"

namespace berth::gateway {

class Model {
 public:
  Model(std::string name, const routing::Settings& settings, std::uint64_t seed);

  const std::string& name() const { return name_; }

  // Calls f(router) under the model's mutex.
  template <typename F>
  auto with_router(F&& f) {
    const std::lock_guard lock(mutex_);
    return std::forward<F>(f)(router_);
  }

  // The replicas of one server become ranks 0..ranks-1 (one replica without a rank when ranks is
  // 1). Replicas the server no longer has are removed, unchanged ones keep their index, bindings
  // and drain. New replicas of a server whose every replica is drained are drained, too.
  void set_server_replicas(const std::shared_ptr<UpstreamServer>& server, std::uint32_t ranks,
                           std::uint64_t kv_tokens_per_rank, Instant now);
  // The same server by its index, with another key or other TLS settings: for requests from now on.
  void replace_server(const std::shared_ptr<UpstreamServer>& server);
  // Takes the server's replicas away, and what the operator said of them.
  void remove_server(std::uint32_t server, Instant now);
  // Its engines were restarted: their caches are empty.
  void on_restarted(std::uint32_t server, Instant now);
  // Once a second: ages bindings, and forgets removed replicas and servers that nothing refers to.
  void tick(Instant now);
  // No replica, no binding and no open request: it could be made anew without a loss.
  bool idle() const;
  void set_server_state(std::uint32_t server, routing::ReplicaState state, Instant now);
  // The rank's own state beside its server's; the worse counts. A replica begins as kUp.
  void set_rank_state(std::uint32_t server, std::uint32_t rank, routing::ReplicaState state,
                      const std::string& why, Instant now);
  std::uint32_t in_flight_on_rank(std::uint32_t server, std::uint32_t rank) const;
  // What was scraped of the server, or of one rank of it, is old: forgotten but for the counters.
  void on_scrape_lost(std::uint32_t server, std::optional<std::uint32_t> rank);
  void on_scrape(std::uint32_t server, std::uint32_t rank, const routing::ReplicaStats& stats,
                 const observe::EngineCounters& counters, Instant now);
  void set_settings(const routing::Settings& settings, Instant now);
  // kNotFound when no replica has that label.
  Result<void> set_drain(const std::string& label, bool drain, Instant now);

  // The server of a dispatch, and the label for logs and headers ("gpu0:8000#2").
  struct Destination {
    std::shared_ptr<UpstreamServer> server;
    std::optional<int> rank;
    std::string label;
  };
  Destination destination(const routing::Dispatch& dispatch) const;

  routing::RouterSnapshot snapshot(Instant now) const;
  // Everything but aliases and advice, which the model table knows.
  observe::ModelStatus status(Instant now) const;
  std::vector<routing::Explanation> explain(const std::string& session, Instant now) const;
  std::optional<std::string> session_of_hash(std::uint64_t hash) const;
  std::string label_of(routing::ReplicaIndex replica) const;

  // Bindings of a state file, in as many parts as the caller likes. Those of replicas not
  // discovered yet wait until they are, and count as bindings in export_bindings() meanwhile, so
  // that a second restart does not lose them.
  void import_bindings(std::vector<routing::SavedBinding> saved, Instant now);
  std::vector<routing::SavedBinding> export_bindings(Instant now) const;

 private:
  struct Replica {
    std::shared_ptr<UpstreamServer> server;  // the key with it, as long as the replica is known
    std::optional<int> rank;
    std::string label;
    routing::ReplicaState server_state = routing::ReplicaState::kUp;
    routing::ReplicaState rank_state = routing::ReplicaState::kUp;
    std::string why;     // of rank_state
    bool drain = false;  // by the operator
    bool removed = false;
    std::optional<observe::EngineCounters> engine_base;  // at the first scrape
    std::optional<observe::EngineCounters> engine_now;
  };
  static bool is_rank(const Replica& replica, std::uint32_t server, std::uint32_t rank);
  void apply_state(routing::ReplicaIndex index, Instant now);
  void add_replica(Replica replica, std::uint64_t kv_tokens, Instant now);
  void import_waiting(Instant now);
  // `saved` has its idle times as of waiting_since_; what no replica here can have is kept.
  void import_or_keep(std::vector<routing::SavedBinding> saved, Instant now);
  void forget_unused();

  const std::string name_;
  mutable std::mutex mutex_;
  routing::ModelRouter router_;
  std::map<routing::ReplicaIndex, Replica> replicas_;  // those the router knows
  // Those with replicas here, for targets without one; a removed one while requests are open there.
  std::map<std::uint32_t, std::shared_ptr<UpstreamServer>> servers_;
  observe::EngineCounters retired_engine_;      // of replicas that are forgotten
  std::vector<routing::SavedBinding> waiting_;  // imported, of replicas not here yet
  Instant waiting_since_{};                     // what their idle times are as of
};

// The label of a replica: the server's, and the rank where there are several.
std::string replica_label(const UpstreamServer& server, std::optional<int> rank);

}  // namespace berth::gateway
