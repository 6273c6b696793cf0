// Opens connections to servers: name resolution, TCP, and TLS where asked, within one timeout.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "net/abort.h"
#include "net/stream.h"
#include "net/types.h"

namespace berth::net {

struct ConnectTarget {
  std::string host;  // a name, or an IP literal without brackets
  std::uint16_t port = 0;
  asio::ssl::context* tls = nullptr;  // null: plain TCP. Must outlive the Stream
};

// Runs on the awaiting coroutine's executor. `timeout` covers everything. The addresses of a name
// are tried in the resolver's order, each for its share of the time (connect_first.h). Errors name
// host:port:
//   kConnectTimeout  the time passed, whatever was under way
//   kConnectFailed   the name does not resolve, or no address accepted
//   kOverloaded      this machine has no descriptor, port or memory left: no fault of the server
//   kTlsFailed       the handshake or the verification of the certificate failed
//   kClientGone      `abort` was told to
Task<Result<Stream>> connect(ConnectTarget target, Duration timeout, Abort* abort = nullptr);

}  // namespace berth::net
