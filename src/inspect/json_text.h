// JSON strings for what Berth says itself.
#pragma once

#include <string>
#include <string_view>

namespace berth::inspect {

// `text` as a JSON string with its quotes, in ASCII-safe escapes where JSON asks for them. Bytes
// that are not UTF-8 become U+FFFD, so that the result is always valid.
std::string json_string(std::string_view text);

}  // namespace berth::inspect
