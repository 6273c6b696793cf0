// Measured machines, by name: what one rank holds and how long its steps take. docs/engine.md
// repeats the numbers with their arithmetic.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/server_model.h"

namespace berth::engine {

struct Preset {
  std::string_view name;
  std::string_view model;  // the served name when none is given
  std::string_view what;   // one line for --help
  ServerSpec spec;
};

// "a4000-qwen3-4b" (the default), "h100-30b-a3b", "rtx5090-27b".
const std::vector<Preset>& presets();
const Preset* find_preset(std::string_view name);

}  // namespace berth::engine
