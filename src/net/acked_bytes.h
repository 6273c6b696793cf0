// How much of what was written the peer's TCP has taken.
#pragma once

#include <cstdint>

namespace berth::net {

// Bytes the peer has acknowledged since the connection of that socket began; 0 where the kernel
// does not tell (TCP_INFO's tcpi_bytes_acked, Linux 4.1). A peer that reads slowly acknowledges as
// its buffer empties, long before a write of ours ends.
std::uint64_t acked_bytes(int socket) noexcept;

}  // namespace berth::net
