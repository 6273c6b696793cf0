// The JSON bodies that the admin API accepts. An error is kBadJson and its message names the field.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "observe/status.h"

namespace berth::console {

// A body larger than this is refused (413): the largest legitimate one is a session id.
inline constexpr std::size_t kMaxBodyBytes = 16'384;

// {"session": "..."}: the id as the client sends it, or its keyed hash.
Result<std::string> parse_explain(std::string_view body);

// {"affinity": bool, "policy": name, "overflow_threshold": N or "auto"}: at least one, nothing
// else.
Result<observe::RoutingChange> parse_routing_change(std::string_view body);

// {"drain": bool}
Result<bool> parse_drain(std::string_view body);

}  // namespace berth::console
