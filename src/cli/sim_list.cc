// berth sim list: the policies and presets by name.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/sim_commands.h"
#include "engine/presets.h"
#include "sim/policies.h"

namespace berth::cli {
namespace {

int list(bool json) {
  if (json) {
    nlohmann::ordered_json out;
    for (const sim::PolicyEntry& entry : sim::policies()) {
      out["policies"].push_back({{"name", entry.name}, {"what", entry.what}});
    }
    for (const engine::Preset& preset : engine::presets()) {
      out["presets"].push_back({{"name", preset.name}, {"what", preset.what}});
    }
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  std::size_t width = 0;
  for (const sim::PolicyEntry& entry : sim::policies()) width = std::max(width, entry.name.size());
  for (const engine::Preset& preset : engine::presets()) {
    width = std::max(width, preset.name.size());
  }
  fmt::print("Policies:\n");
  for (const sim::PolicyEntry& entry : sim::policies()) {
    fmt::print("  {:<{}}  {}\n", entry.name, width, entry.what);
  }
  fmt::print("\nPresets:\n");
  for (const engine::Preset& preset : engine::presets()) {
    fmt::print("  {:<{}}  {}\n", preset.name, width, preset.what);
  }
  return 0;
}

}  // namespace

void add_sim_list(CLI::App& sim, int& status) {
  CLI::App* command = sim.add_subcommand("list", "The policies and presets by name");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print as JSON");
  command->footer("Example:\n  berth sim list");
  command->callback([json, &status] { status = list(*json); });
}

}  // namespace berth::cli
