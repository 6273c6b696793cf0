// berth sim why: what limits a fleet at a number of sessions, in plain words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/human.h"
#include "cli/sim_commands.h"
#include "cli/sim_flags.h"
#include "sim/agent_sessions.h"
#include "sim/explain.h"

namespace berth::cli {
namespace {

constexpr int kBadUsage = 2;

struct WhyFlags {
  SimFlags sim;
  std::uint32_t sessions = 0;
  double minutes = 60;
  double think_s = 0;
  bool json = false;
};

// The rule an operator can work out by hand: what the sessions hold against what the caches have.
struct Demand {
  double private_tokens = 0;  // of a session, on average over its turns
  double shared_tokens = 0;
  double sessions_per_replica = 0;
  double needed = 0;  // tokens of a replica
  double room = 0;
};

Demand demand_of(const sim::AgentSessions& workload, const sim::FleetSettings& fleet,
                 std::uint32_t sessions) {
  constexpr std::uint64_t kDrawn = 500;
  double tokens = 0;
  double turns = 0;
  for (std::uint64_t i = 0; i < kDrawn; ++i) {
    sim::Random random(i);
    for (const sim::TurnPlan& turn : workload.draw({}, random).turns) {
      tokens += turn.prompt_tokens + turn.output_tokens;
      ++turns;
    }
  }
  Demand out;
  out.shared_tokens = workload.shared_tokens();
  out.private_tokens = tokens / turns - out.shared_tokens;
  out.sessions_per_replica = static_cast<double>(sessions) / fleet.replicas;
  out.needed = out.shared_tokens + out.private_tokens * out.sessions_per_replica;
  out.room = static_cast<double>(engine::max_request_tokens(fleet.replica));
  return out;
}

std::string tokens(double count) {
  return compact(static_cast<std::uint64_t>(std::llround(std::max(0.0, count))));
}

void print_words(const WhyFlags& flags, const Demand& demand, const sim::Cell& cell) {
  const sim::Measures& m = cell.result.measures;
  fmt::print("{} sessions on {} x {}, policy {}:\n\n", flags.sessions, flags.sim.replicas,
             flags.sim.preset, cell.policy);
  const double fit = (demand.room - demand.shared_tokens) / demand.private_tokens;
  fmt::print(
      "A session holds {} tokens of its own on average, and all share {}. {:.1f} sessions a "
      "replica need {} tokens; a replica has {} ({:.0f} %). {:.1f} sessions fit a replica, {:.0f} "
      "the fleet.\n",
      tokens(demand.private_tokens), tokens(demand.shared_tokens), demand.sessions_per_replica,
      tokens(demand.needed), tokens(demand.room), 100 * demand.needed / demand.room, fit,
      std::floor(fit) * flags.sim.replicas);
  fmt::print(
      "So it went: {} output tokens a minute, {:.0f} % of prompt tokens from the cache, first "
      "token after {:.2f} s at the median and {:.1f} s at p95.\n\n",
      thousands(static_cast<std::uint64_t>(m.output_tokens_per_min)), 100 * m.prefix_hit_ratio,
      m.ttfb_p50_s, m.ttfb_p95_km_s);
  fmt::print("What limited each replica:\n");
  for (const sim::ReplicaAccount& one : cell.result.replicas) {
    fmt::print("  {:<12} {}\n", one.label, sim::what_limited(one));
  }
}

void print_json(const WhyFlags& flags, const Demand& demand, const sim::Cell& cell) {
  nlohmann::ordered_json out = {{"sessions", flags.sessions},
                                {"policy", cell.policy},
                                {"needed_tokens_per_replica", std::llround(demand.needed)},
                                {"room_tokens_per_replica", std::llround(demand.room)}};
  for (const sim::ReplicaAccount& one : cell.result.replicas) {
    out["replicas"].push_back({{"label", one.label}, {"limit", sim::what_limited(one)}});
  }
  fmt::print("{}\n", out.dump(2));
}

Result<void> run_why(const WhyFlags& flags) {
  sim::AgentSessionSettings sessions;
  sessions.think_s = flags.think_s;
  const sim::AgentSessions workload(sessions);
  auto policies = policies_of(flags.sim);
  if (!policies) return tl::unexpected<Error>(std::move(policies.error()));
  auto world = world_of(flags.sim);
  if (!world) return tl::unexpected<Error>(std::move(world.error()));
  auto checked = sim::check_fleet(world->fleet, workload.largest_request());
  if (!checked) return checked;
  const Demand demand = demand_of(workload, world->fleet, flags.sessions);
  sim::Run pattern;
  pattern.world = std::move(*world);
  pattern.workload = &workload;
  const Duration time(static_cast<std::int64_t>(flags.minutes * 60e9));
  pattern.warm_up = time / 2;
  pattern.measured = time - pattern.warm_up;
  pattern.stages = {{flags.sessions, {}}};
  const auto cells = sim::run_all(runs_of(flags.sim, *policies, pattern), flags.sim.threads, {});
  for (const sim::Cell& cell : cells) {
    flags.json ? print_json(flags, demand, cell) : print_words(flags, demand, cell);
    if (!flags.json && &cell != &cells.back()) fmt::print("\n");
  }
  return {};
}

int why(const WhyFlags& flags) {
  const auto done = run_why(flags);
  if (done) return 0;
  fmt::print(stderr, "berth sim why: {}\n", done.error().message);
  return done.error().code == ErrorCode::kConfig ? kBadUsage : 1;
}

}  // namespace

void add_sim_why(CLI::App& sim, int& status) {
  CLI::App* command =
      sim.add_subcommand("why", "What limits a fleet at a number of sessions, in plain words");
  const auto flags = std::make_shared<WhyFlags>();
  flags->sim.policies = {"on"};
  flags->sim.preset = "a4000-qwen3-4b";
  command->add_option("--sessions", flags->sessions, "Concurrent sessions of the reference")
      ->required()
      ->check(CLI::Range(1U, 1'000'000U));
  command->add_option("--policy", flags->sim.policies, "Policies; berth sim list names them")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--preset", flags->sim.preset, "The machine of a replica")
      ->capture_default_str();
  command->add_option("--replicas", flags->sim.replicas, "Replicas of the model")
      ->capture_default_str();
  command->add_option("--kv-tokens", flags->sim.kv_tokens, "KV cache of one replica, in tokens");
  command->add_option("--max-num-seqs", flags->sim.max_num_seqs, "Requests a replica runs at once");
  command->add_option("--think", flags->think_s, "Mean think time between turns, seconds")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  command->add_option("--minutes", flags->minutes, "Simulated; the first half is not measured")
      ->check(CLI::Range(0.1, 100'000.0))
      ->capture_default_str();
  command->add_option("--seed", flags->sim.first_seed, "Of the run")->capture_default_str();
  command->add_flag("--json", flags->json, "Print as JSON");
  command->footer("Example:\n  berth sim why --sessions 24");
  command->callback([flags, &status] { status = why(*flags); });
}

}  // namespace berth::cli
