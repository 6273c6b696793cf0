// Makes the admin token: one line of text, readable by its owner only. config/read_secret.h reads
// it.
#pragma once

#include <string>

#include "base/result.h"

namespace berth::console {

// Writes a fresh token of 32 random bytes (in hex) with mode 0600 and returns it. An existing file
// is replaced whole, never written through: a link at `path` is replaced, not followed. kIo on
// failure.
Result<std::string> write_token_file(const std::string& path);

}  // namespace berth::console
