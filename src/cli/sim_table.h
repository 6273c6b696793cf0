// The tables of `berth sim`: a row a stage and policy, the mean over the seeds and its spread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "sim/experiment.h"

namespace berth::cli {

enum class TableKind : std::uint8_t {
  kReference,  // the published columns and, beside each stage, the published rows
  kTrace,      // turns a minute in place of sessions, the tails, and what was computed again
};

// The first column is the number of sessions, or the ratio where the cells have one.
std::string sim_table(const std::vector<sim::Cell>& cells, TableKind kind,
                      const Terminal& terminal);

// For each stage and policy what limited the replicas, of the first seed.
void print_explanations(const std::vector<sim::Cell>& cells, std::uint64_t first_seed);

// "12.8", "9,925", with "+-" and the spread where there are several seeds.
std::string spread_text(const std::vector<double>& values, int digits);

}  // namespace berth::cli
