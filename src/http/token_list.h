// Comma-separated lists of tokens, as in Connection and Transfer-Encoding.
#pragma once

#include <string_view>

namespace berth::http {

// Takes the next element off the front of `rest`, trimmed; empty elements are skipped. Empty at the
// end.
std::string_view next_list_element(std::string_view& rest) noexcept;

// Whether an element equals `token`, whatever the case.
bool list_contains(std::string_view list, std::string_view token) noexcept;

}  // namespace berth::http
