// The clients: sessions begin, speak turn by turn, and end; a failed turn is sent again.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sim/world_state.h"

namespace berth::sim {
namespace {

Duration seconds(double s) { return Duration(static_cast<std::int64_t>(s * 1e9)); }

std::uint32_t drawn_tokens(double mean, double low, double high, Random& random) {
  return static_cast<std::uint32_t>(std::clamp(random.exponential(mean), low, high));
}

}  // namespace

void World::State::set_clients(std::uint32_t wanted) {
  stage_seed = sim::stage_seed(seed, wanted);
  next_session = 0;
  clients = wanted;
  if (settings.arrivals != Arrivals::kClosed) return;
  const double within = to_seconds(settings.stagger);
  for (; slots < wanted; ++slots) {
    queue.push(now + seconds(arrivals.uniform(0, within)), EventKind::kStartSlot, slots);
  }
}

void World::State::start_slot(std::uint32_t slot) { start_session(slot, true); }

void World::State::arrival() {
  const bool burst = settings.arrivals == Arrivals::kBurst;
  const std::uint32_t together = burst ? kBurstSize : 1;
  for (std::uint32_t i = 0; i < together; ++i) start_session(kNoSlot, false);
  const double rate = settings.sessions_per_hour / 3600 / together;
  queue.push(now + seconds(arrivals.exponential(1 / rate)), EventKind::kArrival);
}

void World::State::other_traffic() {
  Speaker speaker;
  TurnPlan turn;
  turn.prompt_tokens = drawn_tokens(2'000, 50, 8'000, arrivals);
  turn.output_tokens = drawn_tokens(30, 1, 300, arrivals);
  speaker.plan.named = false;
  speaker.plan.whole = false;
  speaker.plan.turns.push_back(std::move(turn));
  speaker.text.emplace(mix(next_conversation), fleet.block_size(), std::vector<std::uint64_t>{});
  speaker.number = next_conversation++;
  send_turn(speakers.add(std::move(speaker)));
  queue.push(now + seconds(arrivals.exponential(60 / settings.other_per_min)),
             EventKind::kOtherTraffic);
}

void World::State::start_session(std::uint32_t slot, bool initial) {
  const std::uint64_t session = next_session++;
  Random random = session_random(stage_seed, session);
  Speaker speaker;
  speaker.plan = workload.draw({session, stage_seed, initial}, random);
  speaker.slot = slot;
  speaker.session = fmt::format("{:016x}", random.next());
  before_turn(add_speaker(std::move(speaker), random));
}

std::uint64_t World::State::add_speaker(Speaker speaker, Random& random) {
  speaker.number = next_conversation++;
  speaker.started = now;
  speaker.text.emplace(random.next(), fleet.block_size(), shared);
  return speakers.add(std::move(speaker));
}

// The pause of a first turn is not waited for: the session begins when it speaks.
void World::State::before_turn(std::uint64_t id) {
  const Speaker& speaker = *speakers.find(id);
  if (speaker.next == 0) return send_turn(id);
  queue.push(now + speaker.plan.turns[speaker.next].gap, EventKind::kSendTurn, 0, id);
}

void World::State::send_turn(std::uint64_t id) {
  Speaker& speaker = *speakers.find(id);
  TurnPlan& turn = speaker.plan.turns[speaker.next];
  if (!turn.children.empty()) {
    std::vector<ConversationPlan> children = std::move(turn.children);
    turn.children.clear();
    speaker.children = static_cast<std::uint32_t>(children.size());
    std::uint32_t number = 0;
    for (ConversationPlan& plan : children) {
      Speaker child;
      child.plan = std::move(plan);
      child.session = speaker.session;
      child.agent = fmt::format("a{}.{}", speaker.next, number);
      child.parent = id;
      child.parent_number = speaker.number;
      Random random(mix(speaker.number * 1'000 + number + (speaker.next << 40U)));
      send_turn(add_speaker(std::move(child), random));
      ++number;
    }
    return;
  }
  Flight flight;
  flight.sent = now;
  flight.first_turn = speaker.next == 0;
  flight.prompt_tokens = turn.prompt_tokens;
  flight.output_tokens = turn.output_tokens;
  flight.kept_tokens = turn.kept_tokens;
  const std::uint32_t all = turn.prompt_tokens + turn.output_tokens;
  if (speaker.plan.content.empty()) {
    flight.blocks = speaker.text->next(turn.kept_tokens, all);
  } else {
    flight.blocks = std::make_shared<const std::vector<std::uint64_t>>(
        blocks_of_ids(speaker.plan.content, speaker.plan.content_tokens, all, fleet.block_size(),
                      mix(speaker.number)));
  }
  send(id, std::move(flight));
}

void World::State::send(std::uint64_t id, Flight flight) {
  flight.speaker = id;
  queue.push(now + one_way(), EventKind::kAtGateway, 0, flights.add(std::move(flight)));
}

void World::State::first_at_client(Flight& flight) {
  flight.answered = true;
  meter.first_byte(to_seconds(now - flight.sent));
}

void World::State::end_at_client(std::uint64_t id, Flight& flight) {
  const std::uint64_t of = flight.speaker;
  flights.remove(id);
  Speaker& speaker = *speakers.find(of);
  ++speaker.next;
  if (speaker.next < speaker.plan.turns.size()) return before_turn(of);
  speaker_ended(of);
}

void World::State::failed_at_client(std::uint64_t id, Flight& flight) {
  meter.error();
  Flight again;
  again.speaker = flight.speaker;
  again.sent = flight.sent;
  again.answered = flight.answered;
  again.first_turn = flight.first_turn;
  again.prompt_tokens = flight.prompt_tokens;
  again.output_tokens = flight.output_tokens;
  again.kept_tokens = flight.kept_tokens;
  again.blocks = flight.blocks;
  flights.remove(id);
  const std::uint64_t next = flights.add(std::move(again));
  queue.push(now + kRetryAfter + one_way(), EventKind::kAtGateway, 0, next);
}

void World::State::speaker_ended(std::uint64_t id) {
  const Speaker& speaker = *speakers.find(id);
  const std::uint64_t parent = speaker.parent;
  const std::uint32_t slot = speaker.slot;
  const bool named = speaker.plan.named;
  const std::uint64_t number = speaker.number;
  if (parent == 0 && named) {
    meter.session_ended();
    if (speaker.plan.whole) meter.session_lasted(to_seconds(now - speaker.started), true);
  }
  speakers.remove(id);
  if (named) tell([&] { policy->on_conversation_end(number, now); });
  if (Speaker* waiting = parent == 0 ? nullptr : speakers.find(parent); waiting != nullptr) {
    if (--waiting->children == 0) send_turn(parent);
    return;
  }
  if (slot == kNoSlot) return;
  if (slot < clients) return start_session(slot, false);
  --slots;
}

void World::State::report_unended() {
  flights.for_each([&](std::uint64_t, const Flight& flight) {
    if (!flight.answered) meter.unanswered(to_seconds(now - flight.sent));
  });
  speakers.for_each([&](std::uint64_t, const Speaker& speaker) {
    if (speaker.parent != 0 || !speaker.plan.named || !speaker.plan.whole) return;
    meter.session_lasted(to_seconds(now - speaker.started), false);
  });
}

}  // namespace berth::sim
