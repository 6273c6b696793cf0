// The virtual world: clients, the network between, a gateway with one policy, a fleet of simulated
// vLLM servers. Time is the world's own; nothing waits.
//
// The path of a request is that of `berth serve`: client, half a round trip, gateway (the policy
// decides, the request may be held), server, engine steps, gateway, half a round trip, client. The
// policy `on` and its kind drive routing::ModelRouter with the calls the gateway makes: facts in,
// decision out, first byte, finished with the usage the engine reported, one scrape a second, one
// tick a second.
//
// One World is one run: one thread, one seed. Equal settings, workload, policy and seed give equal
// results to the last bit.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "sim/fleet.h"
#include "sim/measures.h"
#include "sim/policies.h"
#include "sim/workload.h"

namespace berth::sim {

enum class Arrivals : std::uint8_t {
  kClosed,   // a number of clients; each begins a new session when its last one ended
  kPoisson,  // sessions begin at random, at a mean rate, however full the fleet is
  kBurst,    // the same rate, but kBurstSize sessions begin together
};
inline constexpr std::uint32_t kBurstSize = 8;

struct FleetEvent {
  enum class Kind : std::uint8_t {
    kLost,       // the server stops; what it was doing ends in an error at the client
    kRestarted,  // it is back, with an empty cache
    kAdded,      // one more server of one replica
  };
  Kind kind = Kind::kLost;
  std::uint32_t server = 0;  // of kLost and kRestarted
  Duration at{};             // after the start of the first stage
};

struct WorldSettings {
  FleetSettings fleet;

  // Between client and gateway: half of it each way, within half the jitter more or less. The
  // reference measured across the internet; 140 ms were fitted.
  Duration round_trip = std::chrono::milliseconds(140);
  Duration jitter = std::chrono::milliseconds(20);
  // Between gateway and server, each way.
  Duration hop = std::chrono::milliseconds(1);

  // How a request meets one of a server's API processes, whose balancers know nothing of each
  // other: on a connection of the gateway's pool (connection_pool.h), or on one of its own, at
  // random.
  bool pooled_connections = false;

  Duration scrape_every = std::chrono::seconds(1);
  // New clients of a closed loop begin within this time.
  Duration stagger = std::chrono::seconds(1);
  Arrivals arrivals = Arrivals::kClosed;
  double sessions_per_hour = 0;  // of kPoisson and kBurst
  // Requests a minute without a session, at random times: autocompletion and scripts beside the
  // agents. Prompts exponential with a mean of 2,000 tokens in 50..8,000, outputs with a mean of 30
  // in 1..300, about the shape of the Azure code trace (Splitwise, ISCA 2024; median 1,469 prompt
  // and 13 output tokens).
  double other_per_min = 0;
  // Each replica has the shared text in its cache when the run begins: in the reference the second
  // arm started on the engine the first had used.
  bool warm = true;
  std::vector<FleetEvent> events;
};

// After a failed answer the client sends the turn again, this long after it learned of it.
inline constexpr Duration kRetryAfter = std::chrono::seconds(1);
// A gateway learns of a lost or returned server from its health check, at most one interval later.
inline constexpr Duration kNoticedAfter = std::chrono::seconds(1);

class World {
 public:
  // The settings have passed check_fleet, with the workload's largest request. `workload` outlives
  // the world.
  World(const WorldSettings& settings, const Workload& workload, const PolicyEntry& policy,
        std::uint64_t seed);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // A closed loop's number of clients from now on; those there stay with their sessions. Sessions
  // that begin from now on are drawn from this stage's own seed, so that a stage's sessions do not
  // depend on how many the stages before it had. Fewer clients than before: those over the number
  // end with their session. In an open loop only the seed changes.
  void set_clients(std::uint32_t clients);
  Instant now() const;
  void run_for(Duration time);

  void open_window();
  WindowResult close_window();

  // What a test may look at.
  std::uint64_t speakers() const;
  std::uint64_t flights() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace berth::sim
