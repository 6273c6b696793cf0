// The one rule for files that hold a secret: API keys, client keys, the admin token.
//
// One line of 1 to 4096 visible ASCII characters; blanks and line ends around it do not count. A
// file that every user of the machine may read or write gets a warning and is read all the same,
// since containers mount secrets that way. Error messages name the file and never hold any of the
// content.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/schema.h"

namespace berth::config {

// Shorter ones could be guessed.
inline constexpr std::size_t kShortestToken = 16;

Result<Secret> read_secret(const std::string& path, std::vector<std::string>& warnings);

// The admin token: a secret of at least kShortestToken characters.
Result<Secret> read_admin_token(const std::string& path, std::vector<std::string>& warnings);

// Warns, once a file, if every user of the machine may read or write it.
void warn_if_open_to_all(const std::string& path, std::vector<std::string>& warnings);

}  // namespace berth::config
