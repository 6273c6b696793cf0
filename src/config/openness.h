// May strangers use the models? The rule that start and reload share.
#pragma once

#include <optional>
#include <string>

#include "config/schema.h"

namespace berth::config {

// True if other machines reach the listener and no client key guards it.
bool is_open(const Config& config);

// Why such a listener is refused, or nothing when it is guarded or allow_open_listener says so.
std::optional<std::string> open_listener_problem(const Config& config);

// Why an admin address is refused: other machines reach it and no token guards its writes.
std::optional<std::string> open_admin_problem(const Config& config);

}  // namespace berth::config
