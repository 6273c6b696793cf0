// Text of a file, for a message on a terminal or in a log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::config {

// The longest key or name that is shown whole.
inline constexpr std::size_t kLongestShown = 60;

// `text` in one line: '?' for each control character and line end (C0, DEL, C1, U+2028, U+2029), so
// that it can neither begin a line of its own nor steer a terminal; cut to `longest` bytes, with
// "..." behind the cut.
std::string printable(std::string_view text, std::size_t longest = kLongestShown);

}  // namespace berth::config
