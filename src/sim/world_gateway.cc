// The gateway: the policy is asked and told; requests are held and sent on.
#include <algorithm>
#include <utility>
#include <variant>

#include "sim/world_state.h"

namespace berth::sim {
namespace {

// Bytes of a request as agents send them: about four characters a token, in JSON.
constexpr std::uint64_t kBytesPerToken = 4;
// Coding agents offer a dozen tools or two; what counts is that it is not none.
constexpr std::uint32_t kTools = 20;

routing::ConversationKey key_of(const std::string& session, const std::string& agent) {
  return {"sim", "sim", session, agent};
}

}  // namespace

// Held requests that may go now are sent, and the next tick is planned.
void World::State::after_policy() {
  released.clear();
  policy->take_released(released);
  const std::vector<Release> going = std::exchange(released, {});
  for (const Release& release : going) {
    Flight* flight = flights.find(release.id);
    if (flight != nullptr && !flight->failed) dispatch(release.id, *flight, release.to);
  }
  const std::optional<Instant> wanted = policy->next_tick();
  if (wanted == tick_plan.at) return;
  tick_plan.at = wanted;
  ++tick_plan.stamp;
  if (wanted) queue.push(std::max(*wanted, now), EventKind::kTick, 0, tick_plan.stamp);
}

void World::State::tick(std::uint64_t stamp) {
  if (stamp != tick_plan.stamp) return;
  tick_plan.at.reset();
  tell([&] { policy->on_tick(now); });
}

PolicyRequest World::State::describe(std::uint64_t id, const Flight& flight) {
  const Speaker& speaker = *speakers.find(flight.speaker);
  PolicyRequest request;
  request.id = id;
  request.prompt_tokens = flight.prompt_tokens;
  request.blocks = flight.blocks;
  request.sent_at = flight.sent;
  request.facts.body_bytes = flight.prompt_tokens * kBytesPerToken;
  request.facts.tools = kTools;
  if (!speaker.plan.named) return request;
  request.conversation = speaker.number;
  request.facts.identity = routing::IdentitySource::kClaudeCode;
  request.facts.conversation = key_of(speaker.session, speaker.agent);
  if (const Speaker* parent = speaker.parent == 0 ? nullptr : speakers.find(speaker.parent)) {
    request.parent = speaker.parent_number;
    request.facts.parent = key_of(parent->session, parent->agent);
  }
  return request;
}

void World::State::at_gateway(std::uint64_t id, Flight& flight) {
  const PolicyRequest request = describe(id, flight);
  Answer answer = Hold{};
  tell([&] {
    answer = policy->on_request(request, now);
    obey(id, flight, answer);
  });
}

void World::State::obey(std::uint64_t id, Flight& flight, const Answer& answer) {
  if (const Send* to = std::get_if<Send>(&answer)) return dispatch(id, flight, *to);
  if (std::holds_alternative<Refuse>(answer)) fail(id, flight);
}

void World::State::dispatch(std::uint64_t id, Flight& flight, const Send& to) {
  flight.server = to.target.server;
  flight.replica.reset();
  flight.rank.reset();
  if (to.target.rank) flight.rank = static_cast<std::uint32_t>(*to.target.rank);
  queue.push(now + settings.hop, EventKind::kAtServer, 0, id);
}

// The client gets an error, or its connection breaks.
void World::State::fail(std::uint64_t id, Flight& flight) {
  flight.failed = true;
  queue.push(now + one_way(), EventKind::kFailedAtClient, 0, id);
}

void World::State::first_at_gateway(std::uint64_t id, Flight& flight) {
  flight.first_at_client = now + one_way();
  if (!flight.answered) queue.push(flight.first_at_client, EventKind::kFirstAtClient, 0, id);
  tell([&] { policy->on_first_byte(id, now); });
}

void World::State::end_at_gateway(std::uint64_t id, Flight& flight) {
  meter.turn_ended();
  flight.ended = true;
  if (flight.api_process) connections[flight.server].put(*flight.api_process, now);
  // The last byte does not overtake the first.
  queue.push(std::max(now + one_way(), flight.first_at_client), EventKind::kEndAtClient, 0, id);
  routing::Usage usage;
  usage.prompt_tokens = flight.prompt_tokens;
  usage.cached_tokens = flight.cached_tokens;
  usage.output_tokens = flight.output_tokens;
  tell([&] { policy->on_finished(id, usage, now); });
}

}  // namespace berth::sim
