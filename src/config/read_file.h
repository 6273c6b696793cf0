// Every file that Berth is given by name is read here: configuration, secrets, certificates, state.
//
// Only regular files (or links to them): reading a pipe, a terminal or a device could wait for
// ever, or never end. Blocks for as long as the disk does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::config {

// The largest configuration, certificate or list of keys.
inline constexpr std::size_t kLargestText = std::size_t{1} << 20;

// The whole file. The error's message is the reason alone: "No such file or directory", "it is a
// named pipe, not a file". kNotFound when there is none, kConfig for all else.
Result<std::string> read_file(const std::string& path, std::size_t largest = kLargestText);

// "cannot read PATH: REASON".
std::string cannot_read(const std::string& path, std::string_view reason);

}  // namespace berth::config
