// The tables of `berth sim`: a row a stage and policy, the mean over the seeds and its spread.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"
#include "sim/experiment.h"

namespace berth::cli {

// The first column is the number of sessions, or the ratio where the cells have one. With
// `published`, the published rows stand beside those of their stage.
std::string sim_table(const std::vector<sim::Cell>& cells, bool published,
                      const Terminal& terminal);

// "12.8", "9,925", with "+-" and the spread where there are several seeds.
std::string spread_text(const std::vector<double>& values, int digits);

}  // namespace berth::cli
