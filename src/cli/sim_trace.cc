// berth sim trace: recorded traffic replayed against a fleet, at any ratio of working set to cache.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/human.h"
#include "cli/progress_bar.h"
#include "cli/sim_commands.h"
#include "cli/sim_flags.h"
#include "cli/sim_table.h"
#include "sim/trace_workload.h"

namespace berth::cli {
namespace {

constexpr int kBadUsage = 2;

struct TraceFlags {
  SimFlags sim;
  std::string format;
  std::string input;
  std::vector<double> ratios = {1};
  std::string gaps = "trace";
  std::string arrivals = "closed";
  std::optional<double> sessions_per_hour;
  sim::TraceSettings trace;
  double minutes = 120;
  double warm_up_minutes = 30;
  double stagger_s = 30;
};

Duration minutes(double m) { return Duration(static_cast<std::int64_t>(m * 60e9)); }

Result<sim::TraceWorkload> workload_of(const TraceFlags& flags) {
  auto read = flags.format == "claude-code-csv"   ? sim::read_claude_code_csv(flags.input)
              : flags.format == "kv-cache-tester" ? sim::read_kv_cache_tester(flags.input)
                                                  : sim::read_mooncake(flags.input);
  if (!read) return tl::unexpected<Error>(std::move(read.error()));
  sim::TraceSettings settings = flags.trace;
  settings.autonomous_gaps = flags.gaps == "autonomous";
  return sim::TraceWorkload::make(std::move(*read), settings);
}

Result<void> check_room(const sim::WorldSettings& world, const sim::TraceWorkload& workload) {
  auto checked = sim::check_fleet(world.fleet, workload.largest_request());
  if (checked || workload.largest_request() <= engine::max_request_tokens(world.fleet.replica)) {
    return checked;
  }
  return fail(
      ErrorCode::kConfig,
      fmt::format("{}; --max-context {} leaves out the conversations that are too long, and "
                  "--preset h100-30b-a3b has more room",
                  checked.error().message, engine::max_request_tokens(world.fleet.replica)));
}

// One world a ratio: a fleet at 0.5 tells nothing about the same fleet at 4 after it.
sim::Run pattern_of(const TraceFlags& flags, const sim::WorldSettings& world,
                    const sim::TraceWorkload& workload, double ratio) {
  sim::Run run;
  run.world = world;
  run.workload = &workload;
  run.warm_up = minutes(flags.warm_up_minutes);
  run.measured = minutes(flags.minutes);
  const std::uint64_t kv = world.fleet.replica.kv_tokens * world.fleet.replicas;
  const std::uint32_t clients = workload.clients_for(ratio, kv);
  run.stages.push_back({clients, ratio});
  if (flags.arrivals == "closed") return run;
  run.world.arrivals =
      flags.arrivals == "poisson" ? sim::Arrivals::kPoisson : sim::Arrivals::kBurst;
  const double alone = workload.mean_session_seconds(world.fleet.replica.step);
  run.world.sessions_per_hour = flags.sessions_per_hour.value_or(clients * 3600 / alone);
  return run;
}

void print_heading(const TraceFlags& flags, const sim::TraceWorkload& workload) {
  fmt::print(
      "{}: {} conversations, {} requests of {} tokens on average; {} left out as too long.\n"
      "{} x {}, arrivals {}, gaps {} (at most {:g} s), {:g} min after {:g} min of warm-up, {}.\n\n",
      flags.input, thousands(workload.conversations()), thousands(workload.requests()),
      thousands(static_cast<std::uint64_t>(workload.mean_context())), thousands(workload.dropped()),
      flags.sim.replicas, flags.sim.preset, flags.arrivals, flags.gaps, flags.trace.max_gap_s,
      flags.minutes, flags.warm_up_minutes, counted(flags.sim.seeds, "seed"));
}

Result<void> run_trace(const TraceFlags& flags) {
  auto policies = policies_of(flags.sim);
  if (!policies) return tl::unexpected<Error>(std::move(policies.error()));
  auto world = world_of(flags.sim);
  if (!world) return tl::unexpected<Error>(std::move(world.error()));
  world->stagger = Duration(static_cast<std::int64_t>(flags.stagger_s * 1e9));
  auto workload = workload_of(flags);
  if (!workload) return tl::unexpected<Error>(std::move(workload.error()));
  if (auto room = check_room(*world, *workload); !room) return room;
  auto outputs = open_outputs(flags.sim);
  if (!outputs) return tl::unexpected<Error>(std::move(outputs.error()));

  std::vector<sim::Run> runs;
  for (const double ratio : flags.ratios) {
    for (sim::Run& run :
         runs_of(flags.sim, *policies, pattern_of(flags, *world, *workload, ratio))) {
      runs.push_back(std::move(run));
    }
  }
  sim::RowGroup group;
  group.context = {"trace", "steady"};
  {
    ProgressBar bar;
    group.cells = sim::run_all(runs, flags.sim.threads,
                               [&](std::size_t done, std::size_t all) { bar.show(done, all); });
  }
  if (!outputs->quiet) {
    print_heading(flags, *workload);
    fmt::print("{}", sim_table(group.cells, TableKind::kTrace, Terminal::of_stdout()));
    if (flags.sim.explain) print_explanations(group.cells, flags.sim.first_seed);
  }
  return write_outputs(*outputs, {group});
}

int trace(const TraceFlags& flags) {
  const auto done = run_trace(flags);
  if (done) return 0;
  fmt::print(stderr, "berth sim trace: {}\n", done.error().message);
  return done.error().code == ErrorCode::kConfig ? kBadUsage : 1;
}

void add_trace_flags(CLI::App& command, TraceFlags& flags) {
  command.add_option("--format", flags.format, "claude-code-csv, kv-cache-tester or mooncake")
      ->required()
      ->check(CLI::IsMember({"claude-code-csv", "kv-cache-tester", "mooncake"}));
  command.add_option("--input", flags.input, "The file, or a folder of them")->required();
  command
      .add_option("--ratio", flags.ratios,
                  "Concurrent sessions x mean context / KV tokens of the fleet; sessions vary")
      ->delimiter(',')
      ->check(CLI::Range(0.001, 1'000.0))
      ->capture_default_str();
  command.add_option("--gaps", flags.gaps, "Pauses between turns: trace, or autonomous")
      ->check(CLI::IsMember({"trace", "autonomous"}))
      ->capture_default_str();
  command
      .add_option("--arrivals", flags.arrivals,
                  "closed: a new session when one has ended; poisson: at random; burst: at random, "
                  "eight together")
      ->check(CLI::IsMember({"closed", "poisson", "burst"}))
      ->capture_default_str();
  command
      .add_option("--sessions-per-hour", flags.sessions_per_hour,
                  "Of poisson and burst [what keeps the ratio's sessions there if nothing waits]")
      ->check(CLI::Range(0.001, 1e6));
  command
      .add_option("--max-context", flags.trace.max_context,
                  "Leave out conversations that ever exceed this many tokens; 0: none")
      ->capture_default_str();
  command.add_option("--max-gap", flags.trace.max_gap_s, "Cut longer pauses to this, seconds")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command
      .add_option("--shared-tokens", flags.trace.shared_tokens,
                  "Text all conversations begin with (not mooncake)")
      ->check(CLI::Range(0U, 10'000'000U))
      ->capture_default_str();
  command.add_option("--minutes", flags.minutes, "Measured")
      ->check(CLI::Range(0.01, 100'000.0))
      ->capture_default_str();
  command.add_option("--warm-up", flags.warm_up_minutes, "Before that, minutes")
      ->check(CLI::Range(0.0, 100'000.0))
      ->capture_default_str();
  command.add_option("--stagger", flags.stagger_s, "Clients begin within this time, seconds")
      ->check(CLI::Range(0.0, 100'000.0))
      ->capture_default_str();
}

}  // namespace

void add_sim_trace(CLI::App& sim, int& status) {
  CLI::App* command =
      sim.add_subcommand("trace", "Recorded sessions replayed, at any ratio of working set to KV");
  const auto flags = std::make_shared<TraceFlags>();
  flags->sim.policies = {"off", "on"};
  flags->sim.preset = "a4000-qwen3-4b";
  flags->sim.round_trip_ms = 20;
  add_trace_flags(*command, *flags);
  add_sim_flags(*command, flags->sim);
  command->footer(
      "docs/simulator.md describes the formats. A made-up trace is in the repository.\n\n"
      "Examples:\n"
      "  berth sim trace --format claude-code-csv --input src/sim/testdata/sessions.csv \\\n"
      "    --preset h100-30b-a3b --ratio 0.5,1,2 --minutes 30\n"
      "  berth sim trace --format mooncake --input trace.jsonl --preset h100-30b-a3b \\\n"
      "    --arrivals poisson --policies off,on,round-robin --json rows.json");
  command->callback([flags, &status] { status = trace(*flags); });
}

}  // namespace berth::cli
