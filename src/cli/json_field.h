// Reading the admin API's JSON without trusting its shape: the server may be older or newer than
// this program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "console/json.h"

namespace berth::cli {

// The member; null when `object` is no object or has none of that name.
const console::Json& field(const console::Json& object, const char* name);

// Absent when the value is of another type.
std::optional<std::uint64_t> as_count(const console::Json& value);
std::optional<double> as_number(const console::Json& value);

// Control bytes, which a terminal would obey, are replaced by '?'. Empty when the value is no
// string.
std::string as_text(const console::Json& value);

}  // namespace berth::cli
