// The parts of a World and the steps its events are made of. Private to the world_*.cc files.
//
// world.cc           setting up, the loop
// world_clients.cc   the clients: sessions begin, speak, end; failed turns are sent again
// world_gateway.cc   the gateway: the policy is asked and told; requests are held and sent on
// world_fleet.cc     the servers: engine events, polls, scrapes, servers lost and back
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/connection_pool.h"
#include "sim/event_queue.h"
#include "sim/flight.h"
#include "sim/meter.h"
#include "sim/random.h"
#include "sim/slab.h"
#include "sim/world.h"

namespace berth::sim {

struct World::State {
  State(const WorldSettings& s, const Workload& w, const PolicyEntry& entry, std::uint64_t seed);

  // world.cc
  void warm_up();
  void handle(const WorldEvent& event);
  void handle_flight(const WorldEvent& event);
  void run_until(Instant end);
  Duration one_way();

  // world_clients.cc
  void set_clients(std::uint32_t clients);
  void start_slot(std::uint32_t slot);
  void arrival();
  void other_traffic();
  void start_session(std::uint32_t slot, bool initial);
  std::uint64_t add_speaker(Speaker speaker, Random& random);
  void before_turn(std::uint64_t id);
  void send_turn(std::uint64_t id);
  void send(std::uint64_t id, Flight flight);
  void first_at_client(Flight& flight);
  void end_at_client(std::uint64_t id, Flight& flight);
  void failed_at_client(std::uint64_t id, Flight& flight);
  void speaker_ended(std::uint64_t id);
  void report_unended();

  // world_gateway.cc
  template <typename F>
  void tell(F&& what) {
    what();
    after_policy();
  }
  void after_policy();
  PolicyRequest describe(std::uint64_t id, const Flight& flight);
  void at_gateway(std::uint64_t id, Flight& flight);
  void obey(std::uint64_t id, Flight& flight, const Answer& answer);
  void dispatch(std::uint64_t id, Flight& flight, const Send& to);
  void fail(std::uint64_t id, Flight& flight);
  void first_at_gateway(std::uint64_t id, Flight& flight);
  void end_at_gateway(std::uint64_t id, Flight& flight);
  void tick(std::uint64_t stamp);

  // world_fleet.cc
  void at_server(std::uint64_t id, Flight& flight);
  void add_connections();
  void plan_server(std::uint32_t server);
  void run_server(std::uint32_t server, std::uint64_t stamp);
  void advance_server(std::uint32_t server);
  void first_token(std::uint64_t id, Flight& flight, const engine::Event& event);
  void scrape();
  void poll();
  void fleet_event(const FleetEvent& event, std::uint32_t number);
  void lose(std::uint32_t server);
  void noticed(const FleetEvent& event);

  WorldSettings settings;
  const Workload& workload;
  std::uint64_t seed;
  Fleet fleet;
  std::unique_ptr<Policy> policy;
  EventQueue queue;
  Slab<Flight> flights;
  Slab<Speaker> speakers;
  Meter meter;
  Random network;
  Random arrivals;
  Instant now{};
  Instant began{};

  // Sessions are numbered from 0 in a stage; conversations from 1 in the run.
  std::uint64_t stage_seed = 0;
  std::uint64_t next_session = 0;
  std::uint64_t next_conversation = 1;
  std::uint32_t clients = 0;
  std::uint32_t slots = 0;  // those ever begun and not ended
  std::vector<std::uint64_t> shared;

  // The server steps planned last, to tell an event whose plan was overtaken.
  struct Plan {
    std::optional<Instant> at;
    std::uint64_t stamp = 0;
  };
  std::vector<Plan> plans;
  std::vector<ConnectionPool> connections;  // by server, where they are pooled
  Plan tick_plan;
  routing::ReplicaIndex known = 0;  // replicas the policy knows of
  std::vector<engine::Event> engine_events;
  std::vector<Release> released;
};

}  // namespace berth::sim
