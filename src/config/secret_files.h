// Secrets of a configuration in the making, and digests of keys.
#pragma once

#include <string>
#include <string_view>

#include "config/draft.h"
#include "config/schema.h"

namespace berth::config {

// SHA-256 in 64 lower-case hex digits.
std::string sha256_hex(std::string_view text);

// Adds a key, or a problem when its name or the key itself is taken.
void add_client_key(ClientKey key, const Origin& origin, Draft& draft);

}  // namespace berth::config
