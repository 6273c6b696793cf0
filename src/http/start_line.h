// The first line of a message: strict syntax, nothing normalised.
#pragma once

#include <string_view>

#include "http/head.h"
#include "http/refusal.h"

namespace berth::http {

// Fills method, target and minor_version. The target must be in origin form ("/path?query"): Berth
// is no forward proxy, so absolute and authority form and CONNECT are refused, and so is "*".
// Another version than 1.0 and 1.1, an HTTP/2 preface included, is kUnsupported with status 505.
Accepted<void> parse_request_line(std::string_view line, RequestHead& head);

// Fills status, reason and minor_version.
Accepted<void> parse_status_line(std::string_view line, ResponseHead& head);

}  // namespace berth::http
