// Runs of many policies and seeds, and what came of them.
//
// A run is one world through its stages; runs share nothing, so they go to as many threads as the
// machine has, and the results stand in the order of the runs whatever thread was faster.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/world.h"

namespace berth::sim {

struct Stage {
  std::uint32_t clients = 0;
  std::optional<double> ratio;  // of working set to cache, where that chose the clients
};

struct Run {
  const PolicyEntry* policy = nullptr;
  std::uint64_t seed = 1;
  WorldSettings world;
  const Workload* workload = nullptr;
  // One after another in the same world: sessions and caches are carried over.
  std::vector<Stage> stages;
  Duration warm_up{};   // of each stage, not measured
  Duration measured{};  // of each stage, after it
  // Windows one after another within the measured time; more than one draws a curve.
  std::uint32_t windows = 1;
};

struct Cell {
  std::string policy;
  Stage stage;
  std::uint64_t seed = 1;
  std::uint32_t window = 0;
  WindowResult result;
};

// Called after each stage with how many of all are done. From any thread, never two at once.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

// The cells of all runs, in the order of the runs and their stages. `threads` 0: as many as the
// machine has.
std::vector<Cell> run_all(const std::vector<Run>& runs, unsigned threads, const Progress& progress);

}  // namespace berth::sim
