// berth sim reference: the published load test, for any list of policies, beside its numbers.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/progress_bar.h"
#include "cli/sim_commands.h"
#include "cli/sim_flags.h"
#include "cli/sim_table.h"
#include "sim/agent_sessions.h"

namespace berth::cli {
namespace {

constexpr int kBadUsage = 2;

struct ReferenceFlags {
  SimFlags sim;
  std::vector<std::uint32_t> stages = {4, 8, 16, 24, 32};
  std::optional<double> minutes;
  std::string protocol = "published";
  sim::AgentSessionSettings sessions;
  double gap_s = 0.2;
};

struct ProtocolRun {
  std::string name;
  sim::Run pattern;
};

constexpr double kPublishedMinutes = 3;
constexpr double kSteadyMinutes = 60;

ProtocolRun protocol_of(const ReferenceFlags& flags, const std::string& name, sim::Run pattern) {
  const bool steady = name == "steady";
  const double minutes = flags.minutes.value_or(steady ? kSteadyMinutes : kPublishedMinutes);
  const Duration time(static_cast<std::int64_t>(minutes * 60e9));
  pattern.warm_up = steady ? time / 2 : Duration(0);
  pattern.measured = time - pattern.warm_up;
  return {name, std::move(pattern)};
}

std::string heading(const ProtocolRun& run, const ReferenceFlags& flags) {
  const double minutes = to_seconds(run.pattern.warm_up + run.pattern.measured) / 60;
  const std::string warm =
      run.pattern.warm_up > Duration(0) ? "the first half not measured" : "no warm-up";
  return fmt::format(
      "Reference workload, protocol {}: stages of {:g} min one after another, {}; {} x {}, {} "
      "seed{}.",
      run.name, minutes, warm, flags.sim.replicas, flags.sim.preset, flags.sim.seeds,
      flags.sim.seeds == 1 ? "" : "s");
}

// The cells of a protocol, printed as a table.
sim::RowGroup run_protocol(const ReferenceFlags& flags, const ProtocolRun& run,
                           const std::vector<const sim::PolicyEntry*>& policies, bool quiet) {
  sim::RowGroup group;
  group.context = {"reference", run.name};
  {
    ProgressBar bar;
    group.cells = sim::run_all(runs_of(flags.sim, policies, run.pattern), flags.sim.threads,
                               [&](std::size_t done, std::size_t all) { bar.show(done, all); });
  }
  if (quiet) return group;
  fmt::print("{}\n\n{}", heading(run, flags),
             sim_table(group.cells, TableKind::kReference, Terminal::of_stdout()));
  if (flags.sim.explain) print_explanations(group.cells, flags.sim.first_seed);
  fmt::print("\n");
  return group;
}

Result<std::vector<sim::RowGroup>> run_reference(const ReferenceFlags& flags, SimOutputs& outputs) {
  sim::AgentSessionSettings sessions = flags.sessions;
  sessions.client_gap = Duration(static_cast<std::int64_t>(flags.gap_s * 1e9));
  const sim::AgentSessions workload(sessions);
  auto policies = policies_of(flags.sim);
  if (!policies) return tl::unexpected<Error>(std::move(policies.error()));
  auto world = world_of(flags.sim);
  if (!world) return tl::unexpected<Error>(std::move(world.error()));
  auto checked = sim::check_fleet(world->fleet, workload.largest_request());
  if (!checked) return tl::unexpected<Error>(std::move(checked.error()));
  auto opened = open_outputs(flags.sim);
  if (!opened) return tl::unexpected<Error>(std::move(opened.error()));
  outputs = std::move(*opened);

  sim::Run pattern;
  pattern.world = std::move(*world);
  pattern.workload = &workload;
  for (const std::uint32_t clients : flags.stages) pattern.stages.push_back({clients, {}});
  std::vector<std::string> protocols = {flags.protocol};
  if (flags.protocol == "both") protocols = {"published", "steady"};
  std::vector<sim::RowGroup> groups;
  for (const std::string& name : protocols) {
    groups.push_back(
        run_protocol(flags, protocol_of(flags, name, pattern), *policies, outputs.quiet));
  }
  return groups;
}

int reference(const ReferenceFlags& flags) {
  SimOutputs outputs;
  const auto groups = run_reference(flags, outputs);
  if (!groups) {
    fmt::print(stderr, "berth sim reference: {}\n", groups.error().message);
    return groups.error().code == ErrorCode::kConfig ? kBadUsage : 1;
  }
  if (const auto written = write_outputs(outputs, *groups); !written) {
    fmt::print(stderr, "berth sim reference: {}\n", written.error().message);
    return 1;
  }
  return 0;
}

void add_session_flags(CLI::App& command, ReferenceFlags& flags) {
  sim::AgentSessionSettings& s = flags.sessions;
  constexpr auto kTokens = 10'000'000U;
  command.add_option("--think", s.think_s, "Mean think time between turns, seconds")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  command.add_option("--gap", flags.gap_s, "The client's own time between turns, seconds")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  command.add_option("--shared-tokens", s.shared_tokens, "System prompt all sessions share")
      ->check(CLI::Range(0U, kTokens))
      ->capture_default_str();
  command.add_option("--first-tokens", s.first_tokens, "First message, unique to the session")
      ->check(CLI::Range(1.0, 1.0 * kTokens))
      ->capture_default_str();
  command.add_option("--turn-tokens", s.turn_tokens, "New tokens of a later turn")
      ->check(CLI::Range(1.0, 1.0 * kTokens))
      ->capture_default_str();
  command.add_option("--output-tokens", s.output_tokens, "Most output tokens of a turn")
      ->check(CLI::Range(1U, kTokens))
      ->capture_default_str();
  command
      .add_option_function<std::uint32_t>(
          "--turns", [&s](std::uint32_t turns) { s.min_turns = s.max_turns = turns; },
          "Turns of a session [6]")
      ->check(CLI::Range(1U, 100'000U));
  command
      .add_option("--heavy-tail", s.tail,
                  "Turns are Pareto distributed with this exponent, between --turns and "
                  "--max-turns (the study: 1.1 with 10 and 200)")
      ->check(CLI::Range(0.0, 100.0));
  command.add_option("--max-turns", s.max_turns, "See --heavy-tail")
      ->check(CLI::Range(1U, 100'000U));
  command
      .add_option("--subagents", s.subagent_share,
                  "Share of later turns before which three subagents run (the study: 0.3)")
      ->check(CLI::Range(0.0, 1.0));
}

}  // namespace

void add_sim_reference(CLI::App& sim, int& status) {
  CLI::App* command = sim.add_subcommand(
      "reference", "The published load test: staged coding-agent sessions on four A4000");
  const auto flags = std::make_shared<ReferenceFlags>();
  flags->sim.policies = {"off", "on", "on-stale"};
  flags->sim.preset = "a4000-qwen3-4b";
  flags->sim.seeds = 10;
  command->add_option("--stages", flags->stages, "Concurrent sessions, stage by stage")
      ->delimiter(',')
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  command->add_option("--minutes", flags->minutes, "Of a stage [published 3, steady 60]")
      ->check(CLI::Range(0.01, 100'000.0));
  command
      ->add_option("--protocol", flags->protocol,
                   "published: no warm-up, as the published test; steady: the first half of a "
                   "stage is not measured; both")
      ->check(CLI::IsMember({"published", "steady", "both"}))
      ->capture_default_str();
  add_sim_flags(*command, flags->sim);
  add_session_flags(*command, *flags);
  command->footer(
      "A cell is the mean over the seeds +- the standard deviation of one run. The published rows\n"
      "are one run each.\n\n"
      "Examples:\n"
      "  berth sim reference\n"
      "  berth sim reference --policies on,oracle,infinite --protocol steady --stages 16,24,32\n"
      "  berth sim reference --policies on --stages 24 --seeds 1 --explain\n"
      "  berth sim reference --think 5 --json rows.json --csv rows.csv");
  command->callback([flags, &status] { status = reference(*flags); });
}

}  // namespace berth::cli
