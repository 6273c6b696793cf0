// Loading: defaults < file < environment < flags. A bad value names its key, file and line; an unknown key says
// what was probably meant. Nothing is applied unless everything is valid.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/schema.h"

namespace berth::config {

// What the command line said, by key of Config ("listen", "defaults.affinity"), as text; `urls` are the
// positional servers.
struct Overrides {
  std::map<std::string, std::string> flags;
  std::vector<std::string> urls;
};

// `environment` holds the process environment's BERTH_* variables; NAME_FILE names a file with the value.
Result<Config> load(const std::optional<std::string>& file, const std::map<std::string, std::string>& environment,
                    const Overrides& overrides);

// Everything check-config prints: one line a key with value and source. Secrets appear as "(set)".
std::string describe(const Config& config);
std::string describe_json(const Config& config);

}  // namespace berth::config
