// Dates as HTTP writes them: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7).
#pragma once

#include <string>

#include "base/clock.h"

namespace berth::http {

std::string http_date(WallTime at);

}  // namespace berth::http
