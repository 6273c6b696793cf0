// Text that came from outside, made safe to write: into JSON, into a label, onto a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::observe {

// `text` cut to at most `max_bytes` (a cut ends in "..."), with every byte that is not part of
// valid UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text, std::size_t max_bytes);

// Appends `text` as a JSON string with its quotes. Quotes, backslashes and every control character
// (C0, DEL and C1, so that no line of a log can steer a terminal) are escaped. Long text is cut to
// `max_bytes` first.
void append_json_string(std::string& out, std::string_view text, std::size_t max_bytes);

// For plain text lines: valid UTF-8, control characters written as \u00XX.
std::string printable(std::string_view text, std::size_t max_bytes);

}  // namespace berth::observe
