// TCP to the first of several addresses that accepts.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "net/abort.h"
#include "net/types.h"

namespace berth::net {

struct Connected {
  error_code error;              // of the last address tried; timed_out where its time passed
  std::optional<Socket> socket;  // tuned (socket_options.h); present unless `error` is set
};

// Tries the addresses in turn until one accepts, `deadline` passes, or somebody aborts. Every
// address gets an equal share of the time that is left when its turn comes, so that one which never
// answers (IPv6 that leads nowhere, a machine that is off) does not use up the time of the others.
Task<Connected> connect_first(std::vector<tcp::endpoint> endpoints, Instant deadline,
                              Abort* abort = nullptr);

}  // namespace berth::net
