#include "sim/world.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sim/world_state.h"

namespace berth::sim {
namespace {

// Seeds of one run's parts, told apart so that no part's draws move another's.
enum class Part : std::uint64_t { kNetwork = 1, kArrivals, kPolicy, kFleet };
std::uint64_t part_seed(std::uint64_t seed, Part part) {
  return mix(seed * 0x100 + static_cast<std::uint64_t>(part));
}

constexpr Instant kDawn{std::chrono::seconds(1)};
constexpr Duration kPollEvery = std::chrono::seconds(1);
constexpr std::uint64_t kSharedText = 1;

PolicyContext context_of(const WorldSettings& settings, const Workload& workload,
                         const Fleet& fleet, std::uint64_t seed) {
  PolicyContext context;
  context.replicas = fleet.replicas();
  context.max_num_seqs = settings.fleet.replica.max_num_seqs;
  context.block_size = settings.fleet.replica.block_size;
  context.shared_prompt_tokens = workload.shared_tokens();
  context.seed = seed;
  return context;
}

}  // namespace

World::State::State(const WorldSettings& s, const Workload& w, const PolicyEntry& entry,
                    std::uint64_t seed_of_run)
    : settings(s),
      workload(w),
      seed(seed_of_run),
      fleet(s.fleet, entry.cache, entry.balancer, part_seed(seed, Part::kFleet)),
      policy(entry.make(context_of(s, w, fleet, part_seed(seed, Part::kPolicy)))),
      network(part_seed(seed, Part::kNetwork)),
      arrivals(part_seed(seed, Part::kArrivals)),
      now(kDawn),
      shared(shared_blocks(w.shared_tokens(), s.fleet.replica.block_size, kSharedText)) {
  plans.resize(fleet.servers());
  add_connections();
  known = static_cast<routing::ReplicaIndex>(fleet.replicas().size());
  if (settings.warm) warm_up();
  began = now;
  queue.push(now, EventKind::kScrape);
  queue.push(now, EventKind::kPoll);
  if (settings.arrivals != Arrivals::kClosed) queue.push(now, EventKind::kArrival);
  if (settings.other_per_min > 0) queue.push(now, EventKind::kOtherTraffic);
  for (std::uint32_t i = 0; i < settings.events.size(); ++i) {
    queue.push(now + settings.events[i].at, EventKind::kFleetEvent, i);
  }
  after_policy();
}

// One request with the shared text for every replica, and time for all of them to end.
void World::State::warm_up() {
  constexpr Duration kEnough = std::chrono::minutes(2);
  if (workload.shared_tokens() < settings.fleet.replica.block_size) return;
  for (routing::ReplicaIndex i = 0; i < fleet.replicas().size(); ++i) {
    const routing::Target& target = fleet.replicas()[i].target;
    engine::EngineRequest request;
    request.id = i + 1;
    // One token more than the shared text: the last token of a prompt is never read from a cache.
    request.prompt_tokens = workload.shared_tokens() + 1;
    request.blocks = std::make_shared<const std::vector<std::uint64_t>>(shared);
    if (target.rank) request.rank = static_cast<std::uint32_t>(*target.rank);
    fleet.submit(target.server, std::move(request), now);
  }
  now += kEnough;
  for (std::uint32_t server = 0; server < fleet.servers(); ++server) {
    fleet.advance(server, now, engine_events);
    BERTH_CHECK(!fleet.next_event(server));
  }
  engine_events.clear();
}

Duration World::State::one_way() {
  const double jitter = to_seconds(settings.jitter) / 2;
  const double spread = jitter > 0 ? network.uniform(-jitter, jitter) : 0;
  const auto drawn = settings.round_trip / 2 + Duration(static_cast<std::int64_t>(spread * 1e9));
  return std::max(drawn, Duration(0));
}

void World::State::run_until(Instant end) {
  while (queue.due(end)) {
    const WorldEvent event = queue.pop();
    now = event.at;
    handle(event);
  }
  now = end;
}

void World::State::handle(const WorldEvent& event) {
  switch (event.kind) {
    case EventKind::kStartSlot:
      return start_slot(event.subject);
    case EventKind::kArrival:
      return arrival();
    case EventKind::kOtherTraffic:
      return other_traffic();
    case EventKind::kSendTurn:
      return send_turn(event.number);
    case EventKind::kServer:
      return run_server(event.subject, event.number);
    case EventKind::kScrape:
      return scrape();
    case EventKind::kPoll:
      poll();
      return queue.push(now + kPollEvery, EventKind::kPoll);
    case EventKind::kTick:
      return tick(event.number);
    case EventKind::kFleetEvent:
      return fleet_event(settings.events[event.subject], event.subject);
    case EventKind::kFleetNoticed:
      return noticed(settings.events[event.subject]);
    default:
      return handle_flight(event);
  }
}

void World::State::handle_flight(const WorldEvent& event) {
  Flight* flight = flights.find(event.number);
  if (flight == nullptr) return;
  if (flight->failed && event.kind != EventKind::kFailedAtClient) return;
  switch (event.kind) {
    case EventKind::kAtGateway:
      return at_gateway(event.number, *flight);
    case EventKind::kAtServer:
      return at_server(event.number, *flight);
    case EventKind::kFirstAtGateway:
      return first_at_gateway(event.number, *flight);
    case EventKind::kEndAtGateway:
      return end_at_gateway(event.number, *flight);
    case EventKind::kFirstAtClient:
      return first_at_client(*flight);
    case EventKind::kEndAtClient:
      return end_at_client(event.number, *flight);
    case EventKind::kFailedAtClient:
      return failed_at_client(event.number, *flight);
    default:
      return;
  }
}

World::World(const WorldSettings& settings, const Workload& workload, const PolicyEntry& policy,
             std::uint64_t seed)
    : state_(std::make_unique<State>(settings, workload, policy, seed)) {}
World::~World() = default;

void World::set_clients(std::uint32_t clients) { state_->set_clients(clients); }
Instant World::now() const { return state_->now; }
void World::run_for(Duration time) { state_->run_until(state_->now + time); }
void World::open_window() { state_->meter.open(state_->fleet, state_->now); }

WindowResult World::close_window() {
  state_->report_unended();
  WindowResult result = state_->meter.close(state_->fleet, state_->now);
  result.notes = state_->policy->notes(state_->now);
  return result;
}

std::uint64_t World::speakers() const { return state_->speakers.size(); }
std::uint64_t World::flights() const { return state_->flights.size(); }

}  // namespace berth::sim
