#include "cli/sim_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "base/suggest.h"

namespace berth::cli {
namespace {

using sim::FleetEvent;

std::string preset_names() {
  std::string names;
  for (const engine::Preset& preset : engine::presets()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", preset.name);
  }
  return names;
}

Result<const engine::Preset*> preset_of(const SimFlags& flags) {
  if (const engine::Preset* found = engine::find_preset(flags.preset)) return found;
  std::vector<std::string_view> names;
  for (const engine::Preset& preset : engine::presets()) names.push_back(preset.name);
  return fail(ErrorCode::kConfig,
              fmt::format("--preset: there is no '{}'{}; there are {}", flags.preset,
                          did_you_mean(flags.preset, names), preset_names()));
}

template <typename Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

Result<void> check_events(const std::vector<FleetEvent>& events, std::uint32_t servers) {
  for (const FleetEvent& event : events) {
    if (event.kind == FleetEvent::Kind::kAdded) {
      ++servers;
    } else if (event.server >= servers) {
      return fail(ErrorCode::kConfig, fmt::format("--event: there is no server {}; the first of "
                                                  "{} is 0",
                                                  event.server, servers));
    }
  }
  return {};
}

}  // namespace

void add_sim_flags(CLI::App& command, SimFlags& flags) {
  command
      .add_option("--policies", flags.policies, "Policies to compare; berth sim list names them")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--preset", flags.preset, "The machine of a replica: " + preset_names())
      ->capture_default_str();
  command.add_option("--replicas", flags.replicas, "Replicas of the model")->capture_default_str();
  command
      .add_option("--topology", flags.topology,
                  "ranks: replicas are ranks of one data-parallel server; servers: a server each")
      ->check(CLI::IsMember({"ranks", "servers"}))
      ->capture_default_str();
  command.add_option("--kv-tokens", flags.kv_tokens, "KV cache of one replica, in tokens");
  command.add_option("--max-num-seqs", flags.max_num_seqs, "Requests a replica runs at once");
  command
      .add_option("--api-server-count", flags.api_processes,
                  "As berth engine: API processes of a server, each with a balancer of its own; 0: "
                  "as many as ranks")
      ->check(CLI::Range(0U, 1'000U));
  command.add_flag("--async-scheduling,!--no-async-scheduling", flags.async_scheduling,
                   "As berth engine: plan a step while the one before it runs (on)");
  command.add_flag("--scheduler-reserve-full-isl,!--no-scheduler-reserve-full-isl",
                   flags.reserve_full_input,
                   "As berth engine: admit a request only if its whole input fits (on)");
  command.add_option("--seeds", flags.seeds, "Runs of each policy, each with its own seed")
      ->check(CLI::Range(1U, 10'000U))
      ->capture_default_str();
  command.add_option("--seed", flags.first_seed, "The first seed")->capture_default_str();
  command.add_option("--rtt-ms", flags.round_trip_ms, "Round trip between client and gateway")
      ->check(CLI::Range(0.0, 60'000.0))
      ->capture_default_str();
  command.add_flag("--pooled-connections", flags.pooled_connections,
                   "Requests meet the server's API processes on the gateway's pooled connections, "
                   "not each at random");
  command
      .add_option("--other-traffic", flags.other_per_min,
                  "Requests a minute without a session, beside the agents")
      ->check(CLI::Range(0.0, 100'000.0))
      ->capture_default_str();
  command
      .add_option("--event", flags.events,
                  "lost:SERVER@SECONDS, restarted:SERVER@SECONDS or added@SECONDS; may be repeated")
      ->type_name("EVENT");
  command.add_option("--json", flags.json, "Write the rows as JSON to this file (- for stdout)");
  command.add_option("--csv", flags.csv, "Write the rows as CSV to this file (- for stdout)");
  command.add_flag("--explain", flags.explain,
                   "Say what limited each replica and where wasted work went (first seed)");
  command
      .add_option("--threads", flags.threads, "Runs at once; 0: as many as the machine has cores")
      ->capture_default_str();
}

Result<std::vector<const sim::PolicyEntry*>> policies_of(const SimFlags& flags) {
  std::vector<const sim::PolicyEntry*> out;
  for (const std::string& name : flags.policies) {
    auto found = sim::find_policy(name);
    if (!found) return fail(ErrorCode::kConfig, "--policies: " + found.error().message);
    out.push_back(*found);
  }
  return out;
}

Result<FleetEvent> parse_fleet_event(const std::string& text) {
  const auto wrong = [&] {
    return fail(ErrorCode::kConfig,
                fmt::format("--event: '{}' is not lost:SERVER@SECONDS, restarted:SERVER@SECONDS "
                            "or added@SECONDS",
                            text));
  };
  const std::string_view all = text;
  const std::size_t at = all.find('@');
  if (at == std::string_view::npos) return wrong();
  double seconds = 0;
  if (!parse_number(all.substr(at + 1), seconds) || !(seconds >= 0 && seconds < 1e7)) {
    return wrong();
  }
  const std::string_view what = all.substr(0, at);
  FleetEvent event;
  event.at = Duration(static_cast<std::int64_t>(seconds * 1e9));
  if (what == "added") {
    event.kind = FleetEvent::Kind::kAdded;
    return event;
  }
  const std::size_t colon = what.find(':');
  if (colon == std::string_view::npos) return wrong();
  const std::string_view kind = what.substr(0, colon);
  if (kind != "lost" && kind != "restarted") return wrong();
  event.kind = kind == "lost" ? FleetEvent::Kind::kLost : FleetEvent::Kind::kRestarted;
  if (!parse_number(what.substr(colon + 1), event.server)) return wrong();
  return event;
}

Result<sim::WorldSettings> world_of(const SimFlags& flags) {
  auto preset = preset_of(flags);
  if (!preset) return tl::unexpected<Error>(std::move(preset.error()));
  sim::WorldSettings world;
  world.fleet.replica = (*preset)->spec;
  world.fleet.replicas = flags.replicas;
  world.fleet.topology =
      flags.topology == "ranks" ? sim::Topology::kRanks : sim::Topology::kServers;
  if (flags.kv_tokens) world.fleet.replica.kv_tokens = *flags.kv_tokens;
  if (flags.max_num_seqs) world.fleet.replica.max_num_seqs = *flags.max_num_seqs;
  world.fleet.replica.api_processes = flags.api_processes.value_or(0);
  world.fleet.replica.async_scheduling = flags.async_scheduling;
  world.fleet.replica.reserve_full_input = flags.reserve_full_input;
  world.round_trip = Duration(static_cast<std::int64_t>(flags.round_trip_ms * 1e6));
  world.pooled_connections = flags.pooled_connections;
  world.other_per_min = flags.other_per_min;
  for (const std::string& text : flags.events) {
    auto event = parse_fleet_event(text);
    if (!event) return tl::unexpected<Error>(std::move(event.error()));
    world.events.push_back(*event);
  }
  const bool ranks = world.fleet.topology == sim::Topology::kRanks;
  if (auto checked = check_events(world.events, ranks ? 1 : flags.replicas); !checked) {
    return tl::unexpected<Error>(std::move(checked.error()));
  }
  return world;
}

std::vector<sim::Run> runs_of(const SimFlags& flags,
                              const std::vector<const sim::PolicyEntry*>& policies,
                              const sim::Run& pattern) {
  std::vector<sim::Run> runs;
  for (const sim::PolicyEntry* policy : policies) {
    for (std::uint32_t i = 0; i < flags.seeds; ++i) {
      sim::Run run = pattern;
      run.policy = policy;
      run.seed = flags.first_seed + i;
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

Result<SimOutputs> open_outputs(const SimFlags& flags) {
  SimOutputs outputs;
  for (const auto& [path, file] :
       {std::pair{&flags.json, &outputs.json}, std::pair{&flags.csv, &outputs.csv}}) {
    if (path->empty()) continue;
    auto opened = OutputFile::open(*path);
    if (!opened) return tl::unexpected<Error>(std::move(opened.error()));
    file->emplace(std::move(*opened));
    outputs.quiet = outputs.quiet || *path == "-";
  }
  return outputs;
}

Result<void> write_outputs(SimOutputs& outputs, const std::vector<sim::RowGroup>& groups) {
  if (outputs.json) {
    if (auto written = outputs.json->commit(sim::to_json(groups)); !written) return written;
  }
  if (outputs.csv) return outputs.csv->commit(sim::to_csv(groups));
  return {};
}

}  // namespace berth::cli
