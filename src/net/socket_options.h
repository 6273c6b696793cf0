// The options every TCP connection of Berth runs with.
#pragma once

#include "net/types.h"

namespace berth::net {

// Small writes leave at once (a token must not wait for the peer's delayed ACK), and a peer whose
// machine vanished without a FIN is found by keep-alive probes within about two minutes.
void tune_connected(Socket& socket) noexcept;

// For accepted sockets: the same, and data a client has not acknowledged for two minutes ends the
// connection.
void tune_accepted(Socket& socket) noexcept;

}  // namespace berth::net
