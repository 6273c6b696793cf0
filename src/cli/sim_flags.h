// The flags that the workloads of `berth sim` share, and what they come to.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/output_file.h"
#include "engine/presets.h"
#include "sim/experiment.h"
#include "sim/rows.h"

namespace berth::cli {

struct SimFlags {
  std::vector<std::string> policies;
  std::string preset;
  std::uint32_t replicas = 4;
  std::string topology = "ranks";
  std::optional<std::uint64_t> kv_tokens;
  std::optional<std::uint32_t> max_num_seqs;
  std::optional<std::uint32_t> api_processes;
  bool async_scheduling = true;
  bool reserve_full_input = true;
  std::uint32_t seeds = 1;
  std::uint64_t first_seed = 1;
  double round_trip_ms = 140;
  bool pooled_connections = false;
  double other_per_min = 0;
  std::vector<std::string> events;
  std::string json;
  std::string csv;
  bool explain = false;
  unsigned threads = 0;
};

// The defaults that are in `flags` appear in the help.
void add_sim_flags(CLI::App& command, SimFlags& flags);

// Everything the flags name, or what is wrong with the first that is (kConfig).
Result<std::vector<const sim::PolicyEntry*>> policies_of(const SimFlags& flags);
Result<sim::WorldSettings> world_of(const SimFlags& flags);

// "lost:1@600", "restarted:1@900", "added@1200": what happens, to which server, after how many
// seconds.
Result<sim::FleetEvent> parse_fleet_event(const std::string& text);

// One run a policy and seed, all alike but for those. In the order policy, seed.
std::vector<sim::Run> runs_of(const SimFlags& flags,
                              const std::vector<const sim::PolicyEntry*>& policies,
                              const sim::Run& pattern);

// Files that --json and --csv name, opened before the runs.
struct SimOutputs {
  std::optional<OutputFile> json;
  std::optional<OutputFile> csv;
  // Is standard output taken by one of them?
  bool quiet = false;
};
Result<SimOutputs> open_outputs(const SimFlags& flags);
Result<void> write_outputs(SimOutputs& outputs, const std::vector<sim::RowGroup>& groups);

}  // namespace berth::cli
