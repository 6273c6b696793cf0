// Paths written in a configuration file, and keys shown in messages.
#pragma once

#include <string>
#include <string_view>

#include "config/value.h"

namespace berth::config {

// A relative path in a file belongs to the folder of the file, so that it means the same from every
// working directory. Changes `slot` when `rule` says it holds a path; "-" and empty ones stay.
void rebase_path(const std::string& file, const Rule& rule, const Slot& slot);

// `text` without control characters and cut to a sensible length: a key may hold anything.
std::string printable(std::string_view text);

}  // namespace berth::config
