// How many files and sockets the process may have open. Many systems start programs with 1024
// (`ulimit -n`), so that a gateway would refuse work long before limits.connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace berth::cli {

// What one client connection may need: its own socket, and one to a server.
inline constexpr std::uint64_t kDescriptorsAConnection = 2;

// Raises the process's soft limit to the hard one, which needs no privilege. The limit in force
// afterwards.
std::uint64_t raise_descriptor_limit();

// What to tell the operator when `limit` is too low for limits.connections.
std::optional<std::string> descriptor_warning(std::uint64_t limit, std::uint32_t connections);

}  // namespace berth::cli
