// The URL of a server, as an operator writes it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::config {

// Checks an upstream URL and gives its one spelling, which names the server everywhere: scheme and
// host in lower case, no default port, no trailing slash. "HTTP://GPU0:80/" becomes "http://gpu0".
//
// Refused, each with its cure: no scheme or another than http and https, user information, a query
// or a fragment, a bad port, and a path that ends in /v1, which Berth adds itself. The error's
// message is a phrase that follows the key's name; it never repeats user information.
Result<std::string> normalize_server_url(std::string_view text);

}  // namespace berth::config
