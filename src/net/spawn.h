// Starts coroutines that nobody waits for: accept loops, connections, sweeps.
//
// What peers and the system cause is a value, so an exception that leaves such a coroutine is a
// bug, or there is no memory left. Asio's `detached` would swallow it, and a gateway without its
// accept loop looks alive.
#pragma once

#include "net/types.h"

namespace berth::net {

// Runs `task` on `executor`; its end is not reported. An exception that leaves it is printed on
// stderr with `name`, which must be a literal, and ends the process (std::abort).
void spawn(const Executor& executor, const char* name, Task<void> task);

}  // namespace berth::net
