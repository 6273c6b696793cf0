// Splits the header lines of a head that HeadCollector accepted. Names and values stay as they
// came.
#pragma once

#include <string_view>

#include "http/head.h"
#include "http/refusal.h"

namespace berth::http {

// The first line of `raw`, without CRLF.
std::string_view start_line(std::string_view raw) noexcept;

// Adds every header of `raw` (a whole head) to `out`. Refuses a line without colon, an empty name,
// and a name with a character that is not allowed, white space before the colon included.
Accepted<void> split_headers(std::string_view raw, Headers& out);

}  // namespace berth::http
