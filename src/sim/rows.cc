#include "sim/rows.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace berth::sim {
namespace {

// Six significant digits: more would show noise, and a double as it is would differ between
// machines in the last.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

nlohmann::ordered_json row(const RowContext& context, const Cell& cell) {
  nlohmann::ordered_json out;
  out["workload"] = context.workload;
  out["protocol"] = context.protocol;
  out["policy"] = cell.policy;
  out["stage"] = cell.stage.clients;
  if (cell.stage.ratio) out["ratio"] = rounded(*cell.stage.ratio);
  out["seed"] = cell.seed;
  out["window"] = cell.window;
  for (const MeasureField& field : measure_fields()) {
    out[std::string(field.name)] = rounded(cell.result.measures.*field.value);
  }
  return out;
}

}  // namespace

std::string to_json(const std::vector<RowGroup>& groups) {
  std::string out = "[";
  const char* before = "\n";
  for (const RowGroup& group : groups) {
    for (const Cell& cell : group.cells) {
      out += before + row(group.context, cell).dump();
      before = ",\n";
    }
  }
  return out + "\n]\n";
}

std::string to_csv(const std::vector<RowGroup>& groups) {
  std::string out = "workload,protocol,policy,stage,ratio,seed,window";
  for (const MeasureField& field : measure_fields()) out += fmt::format(",{}", field.name);
  out += "\n";
  for (const RowGroup& group : groups) {
    for (const Cell& cell : group.cells) {
      out += fmt::format("{},{},{},{},{},{},{}", group.context.workload, group.context.protocol,
                         cell.policy, cell.stage.clients,
                         cell.stage.ratio ? fmt::format("{:.6g}", *cell.stage.ratio) : "",
                         cell.seed, cell.window);
      for (const MeasureField& field : measure_fields()) {
        out += fmt::format(",{:.6g}", cell.result.measures.*field.value);
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace berth::sim
