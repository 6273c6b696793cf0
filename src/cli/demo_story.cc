#include "cli/demo_story.h"

#include <fmt/format.h>

#include <cstdio>
#include <random>
#include <utility>

#include "cli/human.h"
#include "cli/status_text.h"
#include "cli/terminal.h"
#include "console/plain_words.h"
#include "console/snapshot_json.h"

namespace berth::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kPoll = milliseconds(20);
constexpr Duration kFleetTimeout = seconds(15);
constexpr Duration kScrapeTimeout = seconds(3);
// With more agents than this only what is not sticky is worth a line.
constexpr std::uint32_t kAgentsToldWhole = 8;
// Of a background session; its history then has grown by half.
constexpr std::uint32_t kBackgroundTurns = 12;

void say(std::string_view text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

std::size_t replicas_found(const observe::FleetStatus& status) {
  std::size_t found = 0;
  for (const observe::ModelStatus& model : status.models) found += model.replicas.size();
  return found;
}

// What the last scrapes said of all engines together.
struct Scraped {
  std::uint64_t queries = 0;
  std::uint64_t at_work = 0;
};
Scraped scraped(const observe::FleetStatus& status) {
  Scraped sum;
  for (const observe::ModelStatus& model : status.models) {
    for (const observe::ReplicaStatus& replica : model.replicas) {
      if (replica.engine) sum.queries += replica.engine->prefix_queries;
      sum.at_work += replica.routing.stats.running + replica.routing.stats.waiting;
    }
  }
  return sum;
}

}  // namespace

DemoStory::DemoStory(const net::Executor& executor, DemoStoryOptions options,
                     const DemoFleet& fleet, observe::StatusSource& gateway, const Clock& clock)
    : executor_(executor),
      options_(std::move(options)),
      fleet_(fleet),
      gateway_(gateway),
      clock_(clock),
      background_(executor) {}

net::Task<void> DemoStory::pause(Duration time) {
  net::Timer timer(executor_);
  timer.expires_after(time);
  co_await timer.async_wait(net::use_tuple);
}

net::Task<Result<void>> DemoStory::fleet_found() {
  const Instant deadline = clock_.now() + kFleetTimeout;
  while (!gateway_.ready() || replicas_found(gateway_.status()) < options_.fleet.replicas) {
    if (clock_.now() > deadline) {
      co_return fail(ErrorCode::kNoReplica, "the gateway did not find the simulated replicas");
    }
    co_await pause(kPoll);
  }
  co_return Result<void>{};
}

// The gateway sees an engine's numbers as of its last scrape; the table is printed when they are
// whole.
net::Task<void> DemoStory::scrapes_caught_up() {
  const Instant deadline = clock_.now() + kScrapeTimeout;
  for (;;) {
    const Scraped seen = scraped(gateway_.status());
    const bool whole = seen.queries >= fleet_.prefix_queries() && seen.at_work == 0;
    if (whole || clock_.now() > deadline) co_return;
    co_await pause(kPoll);
  }
}

std::string DemoStory::why_of(const DemoTurn& turn) const {
  const auto found = gateway_.explain(turn.session);
  if (found.empty()) return {};
  const auto& history = found.front().explanation.history;
  return history.empty() ? std::string()
                         : std::string(console::reason_words(history.back().reason));
}

net::Task<void> DemoStory::agent_turns(DemoAgent* agent, Turns* turns) {
  for (std::uint32_t i = 0; i < options_.turns && !stopping_; ++i) {
    Result<DemoTurn> turn = co_await agent->turn();
    if (!turn) {
      ++failed_;
      say(fmt::format("  {}\n", turn.error().message));
      co_return;
    }
    // Without a rank header the gateway knows the server only.
    const bool by_engine =
        turn->outcome == "unbound" && options_.fleet.topology == Topology::kRanks;
    if (by_engine) turn->replica.clear();
    if (options_.sessions <= kAgentsToldWhole || turn->outcome != "sticky") {
      say(demo_turn_line(*turn, why_of(*turn), options_.fleet.time_scale));
    }
    turns->push_back(std::move(*turn));
  }
}

net::Task<DemoStory::Turns> DemoStory::arm(bool affinity) {
  observe::RoutingChange change;
  change.affinity = affinity;
  const Result<void> changed = gateway_.change_routing(fleet_.model(), change);
  if (!changed) say(fmt::format("  {}\n", changed.error().message));
  ++arms_;
  agents_.clear();
  for (std::uint32_t i = 1; i <= options_.sessions; ++i) {
    agents_.emplace_back(i, options_.gateway, DemoConversation(fleet_.model(), arms_ * 100'000 + i),
                         clock_);
  }
  Turns turns;
  TaskGroup group(executor_);
  for (DemoAgent& agent : agents_) group.spawn(agent_turns(&agent, &turns));
  co_await group.wait();
  co_return turns;
}

net::Task<Result<void>> DemoStory::tell() {
  const double scale = options_.fleet.time_scale;
  const Result<void> found = co_await fleet_found();
  if (!found) co_return found;
  say(demo_off_heading(options_.fleet.topology));
  const Turns off = co_await arm(false);
  if (stopping_) co_return Result<void>{};
  say(demo_on_heading());
  const Turns on = co_await arm(true);
  if (stopping_) co_return Result<void>{};
  say("\nThe difference (times are those of the machine that is simulated):\n\n");
  say(demo_difference(demo_arm(off, scale), demo_arm(on, scale)));
  co_await scrapes_caught_up();
  say("\nThe replicas, as `berth status` shows them. It counts since the start, so both parts are "
      "in it:\n"
      "the requests of the first are those under `unbound`.\n\n");
  say(status_text(console::snapshot_json(gateway_.status(), clock_.now()), Terminal::of_stdout()));
  if (failed_ > 0) {
    co_return fail(ErrorCode::kUpstreamBadResponse, counted(failed_, "turn") + " failed");
  }
  co_return Result<void>{};
}

net::Task<void> DemoStory::background_agent(std::uint32_t number) {
  std::mt19937_64 random(number);
  std::uniform_int_distribution<int> think_ms(2'000, 6'000);
  for (std::uint64_t session = 1; !stopping_; ++session) {
    DemoAgent agent(number, options_.gateway,
                    DemoConversation(fleet_.model(), 900'000'000 + number * 10'000 + session),
                    clock_);
    for (std::uint32_t i = 0; i < kBackgroundTurns && !stopping_; ++i) {
      co_await pause(milliseconds(think_ms(random)));
      if (stopping_) co_return;
      const Result<DemoTurn> turn = co_await agent.turn();
      if (!turn) break;
    }
  }
}

net::Task<void> DemoStory::go_on() {
  for (std::uint32_t i = 1; i <= options_.sessions; ++i) background_.spawn(background_agent(i));
  co_await background_.wait();
}

std::string DemoStory::a_session() const {
  return agents_.empty() ? std::string() : agents_.front().conversation().session();
}

}  // namespace berth::cli
