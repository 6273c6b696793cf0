// A first look at TOML text, before the library sees it.
#pragma once

#include <optional>
#include <string_view>

#include "config/read_toml.h"

namespace berth::config {

// Finds characters that TOML does not allow where they stand: control characters but tab and the
// two line ends, and, outside of strings and comments, anything that is not ASCII. The library,
// version 3.3.0, runs into undefined behaviour on some of the latter (a bare key with an umlaut is
// enough) and lets some of the former pass. A byte order mark at the beginning is allowed.
// Finds dotted keys of very many parts, too, which the library reads by recursion.
std::optional<SyntaxError> check_characters(std::string_view text);

}  // namespace berth::config
