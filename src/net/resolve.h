// Name resolution that keeps its deadline.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "net/abort.h"
#include "net/types.h"

namespace berth::net {

struct Resolved {
  error_code error;  // timed_out when the deadline passed first, operation_aborted when aborted
  std::vector<tcp::endpoint> endpoints;
};

// The addresses of `host`, at most 16. An IP literal needs no look-up. getaddrinfo cannot be
// interrupted: when the deadline passes, or on an abort, this returns, and the look-up ends unheard
// in Asio's resolver thread. That thread serves one look-up at a time for the whole io_context.
Task<Resolved> resolve(std::string host, std::uint16_t port, Instant deadline,
                       Abort* abort = nullptr);

}  // namespace berth::net
