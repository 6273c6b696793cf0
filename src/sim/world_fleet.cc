// The servers: engine events, polls, scrapes, servers that are lost and come back.
#include <algorithm>
#include <utility>

#include "sim/world_state.h"

namespace berth::sim {

void World::State::at_server(std::uint64_t id, Flight& flight) {
  if (!fleet.up(flight.server)) {
    Answer answer = Refuse{};
    tell([&] {
      answer = policy->on_not_started(id, now);
      obey(id, flight, answer);
    });
    return;
  }
  advance_server(flight.server);
  engine::EngineRequest request;
  request.id = id;
  request.prompt_tokens = flight.prompt_tokens;
  request.output_tokens = flight.output_tokens;
  request.blocks = flight.blocks;
  request.rank = flight.rank;
  if (!connections.empty()) flight.api_process = connections[flight.server].take(now);
  request.api_process = flight.api_process;
  flight.replica = fleet.submit(flight.server, std::move(request), now);
  Speaker& speaker = *speakers.find(flight.speaker);
  flight.stayed = speaker.last_replica == flight.replica;
  if (speaker.last_replica && !flight.first_turn) meter.later_turn(flight.stayed);
  speaker.last_replica = flight.replica;
  flight.computed_before =
      std::exchange(speaker.computed_tokens, flight.prompt_tokens + flight.output_tokens - 1);
  plan_server(flight.server);
}

void World::State::add_connections() {
  if (!settings.pooled_connections) return;
  const engine::ServerSpec& spec = settings.fleet.replica;
  while (connections.size() < fleet.servers()) {
    const bool ranks = settings.fleet.topology == Topology::kRanks && connections.empty();
    const std::uint32_t as_ranks = ranks ? settings.fleet.replicas : 1;
    connections.emplace_back(spec.api_processes > 0 ? spec.api_processes : as_ranks,
                             mix(seed + 0x636f6e6eULL + connections.size()));
  }
}

void World::State::plan_server(std::uint32_t server) {
  const std::optional<Instant> next = fleet.next_event(server);
  Plan& plan = plans[server];
  if (next == plan.at) return;
  plan.at = next;
  ++plan.stamp;
  if (next) queue.push(*next, EventKind::kServer, server, plan.stamp);
}

void World::State::run_server(std::uint32_t server, std::uint64_t stamp) {
  if (stamp != plans[server].stamp) return;
  advance_server(server);
  plan_server(server);
}

void World::State::advance_server(std::uint32_t server) {
  engine_events.clear();
  fleet.advance(server, now, engine_events);
  for (const engine::Event& event : engine_events) {
    Flight* flight = flights.find(event.id);
    if (flight == nullptr || flight->failed) continue;
    if (event.kind == engine::EventKind::kToken) {
      first_token(event.id, *flight, event);
    } else {
      queue.push(now + settings.hop, EventKind::kEndAtGateway, 0, event.id);
    }
  }
}

void World::State::first_token(std::uint64_t id, Flight& flight, const engine::Event& event) {
  flight.cached_tokens = event.cached_tokens;
  if (!flight.first_turn) {
    // Only full blocks are kept; of the last answer all but the last token was ever computed; and
    // the last token of a prompt is computed always.
    const std::uint32_t size = fleet.block_size();
    const std::uint32_t most =
        std::min({flight.kept_tokens, flight.computed_before, flight.prompt_tokens - 1});
    meter.reused(*flight.replica, flight.stayed, most / size * size, event.cached_tokens);
  }
  queue.push(now + settings.hop, EventKind::kFirstAtGateway, 0, id);
}

void World::State::scrape() {
  for (routing::ReplicaIndex i = 0; i < known; ++i) {
    if (!fleet.replica_up(i)) continue;
    const engine::RankStats stats = fleet.stats(i);
    policy->on_scrape(i, {stats.running, stats.waiting, stats.kv_usage}, now);
  }
  after_policy();
  queue.push(now + settings.scrape_every, EventKind::kScrape);
}

void World::State::poll() { meter.poll(fleet); }

void World::State::fleet_event(const FleetEvent& event, std::uint32_t number) {
  switch (event.kind) {
    case FleetEvent::Kind::kLost:
      lose(event.server);
      break;
    case FleetEvent::Kind::kRestarted:
      fleet.restart(event.server);
      plan_server(event.server);
      break;
    case FleetEvent::Kind::kAdded:
      fleet.add();
      plans.resize(fleet.servers());
      add_connections();
      break;
  }
  queue.push(now + kNoticedAfter, EventKind::kFleetNoticed, number);
}

void World::State::lose(std::uint32_t server) {
  fleet.lose(server);
  if (!connections.empty()) connections[server].clear();
  plan_server(server);
  std::vector<std::uint64_t> broken;
  flights.for_each([&](std::uint64_t id, const Flight& flight) {
    const bool here = flight.replica && flight.server == server;
    if (here && !flight.failed && !flight.ended) broken.push_back(id);
  });
  for (const std::uint64_t id : broken) {
    fail(id, *flights.find(id));
    policy->on_gone(id, now);
  }
  after_policy();
}

void World::State::noticed(const FleetEvent& event) {
  if (event.kind == FleetEvent::Kind::kAdded) {
    for (; known < fleet.replicas().size(); ++known) policy->on_added(fleet.replicas()[known], now);
  } else {
    const auto state = event.kind == FleetEvent::Kind::kLost ? routing::ReplicaState::kDown
                                                             : routing::ReplicaState::kUp;
    for (routing::ReplicaIndex i = 0; i < fleet.replicas().size(); ++i) {
      if (fleet.replicas()[i].target.server == event.server) policy->on_replica(i, state, now);
    }
  }
  after_policy();
}

}  // namespace berth::sim
