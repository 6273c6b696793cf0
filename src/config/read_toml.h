// TOML text to nodes. The only place that knows the TOML library.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/node.h"

namespace berth::config {

struct SyntaxError {
  Position at;
  std::string message;
};

// The top-level table, or where and why the text is not TOML.
tl::expected<Table, SyntaxError> read_toml(std::string_view text);

}  // namespace berth::config
