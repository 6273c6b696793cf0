// Reason phrases of RFC 9110 and of the statuses LLM APIs add.
#pragma once

#include <string_view>

namespace berth::http {

// "OK" for 200. "Unknown" for a status without a known phrase.
std::string_view reason_phrase(int status) noexcept;

}  // namespace berth::http
