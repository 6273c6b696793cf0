// Paths written in a configuration file.
#pragma once

#include <string>

#include "config/value.h"

namespace berth::config {

// A relative path in a file belongs to the folder of the file, so that it means the same from every
// working directory. Changes `slot` when `rule` says it holds a path; "-" and empty ones stay.
void rebase_path(const std::string& file, const Rule& rule, const Slot& slot);

}  // namespace berth::config
