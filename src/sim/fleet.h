// The servers of the simulated world and their replicas: engine::ServerModel behind the indices
// that routing uses.
//
// Owned by one World; time passed in. A replica is a (server, rank) and keeps its index for the
// life of the run, also when it is lost and comes back cold. Its counters go on over a restart, as
// a reader of Prometheus counters would add them up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/kv_oracle.h"
#include "engine/server_model.h"
#include "routing/types.h"
#include "sim/policies.h"

namespace berth::sim {

enum class Topology : std::uint8_t {
  kRanks,    // one data-parallel server
  kServers,  // one server a replica
};

struct FleetSettings {
  engine::ServerSpec replica;  // of one; ranks, balancer and seed are set from what follows
  std::uint32_t replicas = 4;
  Topology topology = Topology::kRanks;
};

// The first thing that cannot work: a spec, no replica, or a request larger than a replica's cache.
Result<void> check_fleet(const FleetSettings& settings, std::uint64_t largest_request);

class Fleet {
 public:
  // The settings have passed check_fleet.
  Fleet(const FleetSettings& settings, Cache cache, engine::Balancer balancer, std::uint64_t seed);

  const std::vector<routing::ReplicaSpec>& replicas() const { return replicas_; }
  std::uint32_t servers() const { return static_cast<std::uint32_t>(servers_.size()); }
  bool up(std::uint32_t server) const { return servers_[server].model != nullptr; }
  bool replica_up(routing::ReplicaIndex replica) const {
    return up(replicas_[replica].target.server);
  }
  std::uint32_t block_size() const { return settings_.replica.block_size; }

  // The server must be up and advanced to `now`. Returns the replica that took it.
  routing::ReplicaIndex submit(std::uint32_t server, engine::EngineRequest request, Instant now);
  void abort(std::uint32_t server, engine::RequestId id, Instant now);
  std::optional<Instant> next_event(std::uint32_t server) const;
  void advance(std::uint32_t server, Instant now, std::vector<engine::Event>& out);
  // Gauges of now, counters since the start of the run.
  engine::RankStats stats(routing::ReplicaIndex replica) const;

  // Everything on it is gone; requests under way end without an event.
  void lose(std::uint32_t server);
  // Up again, with an empty cache.
  void restart(std::uint32_t server);
  // One more server of one replica; returns the replica.
  routing::ReplicaIndex add();

 private:
  struct Server {
    std::unique_ptr<engine::ServerModel> model;  // null while it is down
    routing::ReplicaIndex first = 0;             // replica of its first rank
    std::uint32_t ranks = 1;
    std::uint64_t lives = 0;
  };
  void add_server(std::uint32_t ranks);
  void start(Server& server);

  FleetSettings settings_;
  engine::Balancer balancer_;
  std::uint64_t seed_;
  std::shared_ptr<engine::KvOracle> oracle_;
  std::vector<Server> servers_;
  std::vector<routing::ReplicaSpec> replicas_;
  std::vector<engine::RankStats> before_;  // counters of former lives, by replica
};

}  // namespace berth::sim
