// The admin token on disk: one line of text, readable by its owner only.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace berth::console {

struct TokenFile {
  std::string token;
  // A sentence for the log when others than the owner may read or write the file.
  std::optional<std::string> warning;
};

// Surrounding whitespace is dropped. kIo: unreadable; kConfig: empty, shorter than 16 characters,
// longer than 4096, or not plain visible ASCII (it could not be sent in a header then).
Result<TokenFile> read_token_file(const std::string& path);

// Writes a fresh token of 32 random bytes (in hex) with mode 0600 and returns it. An existing file
// is replaced whole, never written through: a link at `path` is replaced, not followed. kIo on
// failure.
Result<std::string> write_token_file(const std::string& path);

}  // namespace berth::console
