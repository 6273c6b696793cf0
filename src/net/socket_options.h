// The options every TCP connection of Berth runs with.
#pragma once

#include "net/types.h"

namespace berth::net {

// Small writes leave at once: a token must not wait for the peer's delayed ACK. And a peer whose
// machine vanished without a FIN (power, network) is found, by data it does not acknowledge or by
// keep-alive probes it does not answer (tcp(7): TCP_USER_TIMEOUT rules both; without it the kernel
// sends unacknowledged data again for some 15 minutes). A peer that is only slow acknowledges.

// For sockets to servers: lost after one minute.
void tune_connected(Socket& socket) noexcept;

// For accepted sockets: lost after two minutes.
void tune_accepted(Socket& socket) noexcept;

}  // namespace berth::net
