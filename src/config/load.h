// Loading: defaults < file < environment < flags. A bad value names its key, file and line; an
// unknown key says what was probably meant. Nothing is applied unless everything is valid.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/schema.h"

namespace berth::config {

// What the command line said, by key of Config ("listen", "defaults.affinity"), as text; `urls` are
// the positional servers, which take the place of the servers of the file and of BERTH_SERVERS. The
// keys must be real ones: only a bug can name another.
struct Overrides {
  std::map<std::string, std::string> flags;
  std::vector<std::string> urls;
};

// `environment` holds the process environment's BERTH_* variables; NAME_FILE names a file with the
// value. Without `file`, BERTH_CONFIG may name one.
//
// The error's message has one line for each thing that is wrong, at most 20, each beginning with
// its place: "berth.toml:12:14: limits.body_bytes: expected ...". Reads files (secrets,
// certificates) and changes nothing.
Result<Config> load(const std::optional<std::string>& file,
                    const std::map<std::string, std::string>& environment,
                    const Overrides& overrides);

// The same for a file's text at hand, without environment and flags; `path` is what errors and
// sources call it.
Result<Config> load_text(const std::string& path, std::string_view text);

// Everything check-config prints: one line a key with value and source. Secrets appear as "(set)".
std::string describe(const Config& config);
std::string describe_json(const Config& config);

}  // namespace berth::config
