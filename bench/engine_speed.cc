// How fast the replica model simulates: closed loops of the reference's sessions (3,500 shared
// tokens, 7,300 of their own, five turns of 400 more, 256 output tokens) on four sticky ranks, one
// core. Prints steps a second and simulated over real time.
//
// Then a fleet of 1,000 ranks of the H100 preset with 20,000 of these sessions for two simulated
// minutes, and the most memory the process ever had.
//
// Example: engine_speed          (ten simulated hours at 4, 8, 16, 24 and 32 sessions)
//          engine_speed 1000     (that many hours)
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/presets.h"
#include "engine/server_model.h"

namespace {

using berth::Duration;
using berth::Instant;
using berth::engine::BlockHash;
using berth::engine::EngineRequest;
using berth::engine::Event;
using berth::engine::EventKind;
using berth::engine::RankStats;
using berth::engine::ServerModel;
using berth::engine::ServerSpec;

constexpr std::uint32_t kShared = 3'500;
constexpr std::uint32_t kFirst = 7'300;
constexpr std::uint32_t kMore = 400;
constexpr std::uint32_t kOutput = 256;
constexpr std::uint32_t kTurns = 6;

class Sessions {
 public:
  Sessions(ServerModel& server, std::uint32_t count) : server_(server), sessions_(count) {}

  void start(Instant now) {
    for (std::uint64_t slot = 0; slot < sessions_.size(); ++slot) next_turn(slot, now);
  }
  void on(const Event& event) {
    if (event.kind == EventKind::kFinished) next_turn(event.id, event.at);
  }

 private:
  struct Session {
    std::uint64_t stream = 0;
    std::uint32_t turn = kTurns;
    std::uint32_t tokens = 0;
    std::shared_ptr<std::vector<BlockHash>> blocks;
  };

  void next_turn(std::uint64_t slot, Instant now) {
    Session& session = sessions_[slot];
    if (session.turn == kTurns) {
      session = {.stream = ++streams_, .turn = 0, .tokens = kShared + kFirst, .blocks = {}};
      session.blocks = std::make_shared<std::vector<BlockHash>>();
    } else {
      session.tokens += kMore;
    }
    ++session.turn;
    const std::uint32_t size = server_.spec().block_size;
    while ((session.blocks->size() + 1) * size <= session.tokens + kOutput) {
      const std::uint64_t index = session.blocks->size();
      const bool shared = (index + 1) * size <= kShared;
      session.blocks->push_back(berth::engine::stream_block(shared ? 0 : session.stream, index));
    }
    EngineRequest request;
    request.id = slot;
    request.prompt_tokens = session.tokens;
    request.output_tokens = kOutput;
    request.blocks = session.blocks;
    request.rank = static_cast<std::uint32_t>(slot % server_.spec().ranks);
    session.tokens += kOutput;
    if (!server_.submit(std::move(request), now)) std::abort();
  }

  ServerModel& server_;
  std::vector<Session> sessions_;
  std::uint64_t streams_ = 0;
};

void run(const char* preset, std::uint32_t ranks, std::uint32_t sessions, double hours) {
  ServerSpec spec = berth::engine::find_preset(preset)->spec;
  spec.ranks = ranks;
  const auto server = make_server(spec);
  Sessions load(*server, sessions);
  std::vector<Event> events;
  const Instant start{};
  const Instant end = start + std::chrono::duration_cast<Duration>(
                                  std::chrono::duration<double, std::ratio<3600>>(hours));
  const auto before = std::chrono::steady_clock::now();
  load.start(start);
  for (auto next = server->next_event(); next && *next <= end; next = server->next_event()) {
    events.clear();
    server->advance(*next, events);
    for (const Event& event : events) load.on(event);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  RankStats sum;
  for (const RankStats& rank : server->stats()) {
    sum.steps += rank.steps;
    sum.generation_tokens += rank.generation_tokens;
    sum.prompt_tokens += rank.prompt_tokens;
    sum.prompt_cached += rank.prompt_cached;
    sum.preemptions += rank.preemptions;
  }
  fmt::print(
      "{:>8} {:>10.2f} {:>10.0f} {:>10.0f} {:>12.0f} {:>8.1f} {:>9.2f}\n", sessions,
      static_cast<double>(sum.steps) / 1e6, took.count() * 1e9 / static_cast<double>(sum.steps),
      hours * 3600 / took.count(), static_cast<double>(sum.generation_tokens) / (hours * 60),
      100.0 * static_cast<double>(sum.prompt_cached) / static_cast<double>(sum.prompt_tokens),
      static_cast<double>(sum.preemptions) / (hours * 60));
}

}  // namespace

int main(int argc, char** argv) {
  const double hours = argc > 1 ? std::atof(argv[1]) : 10;
  fmt::print("{:>8} {:>10} {:>10} {:>10} {:>12} {:>8} {:>9}\n", "sessions", "steps (M)", "ns/step",
             "x real", "tokens/min", "hits %", "preempt/m");
  for (const std::uint32_t sessions : {4, 8, 16, 24, 32}) {
    run("a4000-qwen3-4b", 4, sessions, hours);
  }
  run("h100-30b-a3b", 1'000, 20'000, 2.0 / 60);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("at most {:.2f} GB of memory\n", static_cast<double>(usage.ru_maxrss) / 1e6);
}
