// Why Berth cannot take requests, in plain sentences.
#pragma once

#include <string>
#include <vector>

#include "observe/status.h"

namespace berth::console {

// At least one sentence. Meant for a source that is not ready().
std::vector<std::string> not_ready_reasons(const observe::FleetStatus& status);

}  // namespace berth::console
