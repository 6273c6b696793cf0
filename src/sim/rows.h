// The results as files: JSON (an array with one object a cell, one a line) and CSV. Field names are
// a contract that users' scripts rely on; docs/simulator.md lists them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/experiment.h"

namespace berth::sim {

// What the rows of one command have in common.
struct RowContext {
  std::string workload;  // "reference", "trace", ...
  std::string protocol;  // "published" or "steady"
};

struct RowGroup {
  RowContext context;
  std::vector<Cell> cells;
};

std::string to_json(const std::vector<RowGroup>& groups);
std::string to_csv(const std::vector<RowGroup>& groups);

}  // namespace berth::sim
