// Files that hold secrets, and digests of keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/draft.h"
#include "config/schema.h"

namespace berth::config {

// SHA-256 in 64 lower-case hex digits.
std::string sha256_hex(std::string_view text);

// The whole of a small file (at most 1 MiB). The error's message is the reason alone: "No such file
// or directory".
Result<std::string> read_small_file(const std::string& path);

// "cannot read PATH: REASON".
std::string cannot_read(const std::string& path, std::string_view reason);

// The one line of the file at `path`; blanks and line ends around it do not count. A file that
// every user of the machine may read gets a warning. Error messages never hold any of the content.
Result<Secret> read_secret(const std::string& path, std::vector<std::string>& warnings);

// Warns if every user of the machine may read the file at `path`.
void warn_if_world_readable(const std::string& path, std::vector<std::string>& warnings);

// Adds a key, or a problem when its name or the key itself is taken.
void add_client_key(ClientKey key, const Origin& origin, Draft& draft);

}  // namespace berth::config
