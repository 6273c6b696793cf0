// The process environment, as the configuration reads it.
#pragma once

#include <map>
#include <string>

namespace berth::cli {

// The variables whose name begins with BERTH_.
std::map<std::string, std::string> berth_environment();

}  // namespace berth::cli
