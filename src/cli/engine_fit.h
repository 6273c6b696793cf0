// `berth engine --fit`: a step time from measured times, printed.
#pragma once

#include <string>

#include "engine/server_spec.h"

namespace berth::cli {

// Prints the constants as --step-time takes them, and beside every measured time what they give
// for it. The exit status: 0, or 2 with the reason on stderr.
int print_step_fit(const std::string& file, const engine::ServerSpec& spec);

}  // namespace berth::cli
