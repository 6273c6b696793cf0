// The demo in one process: simulated servers on their own thread, the gateway with its workers, the
// admin API, and the story on the calling thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/demo_fleet.h"
#include "config/schema.h"

namespace berth::cli {

struct DemoOptions {
  DemoFleetOptions fleet;
  std::uint32_t sessions = 4;
  std::uint32_t turns = 4;
  std::optional<config::Address>
      listen;  // absent: 127.0.0.1:8080, or a free port when that is taken
  std::optional<config::Address> admin;  // absent: 127.0.0.1:9090, likewise
  std::string token_file;                // empty: a fresh one, removed at the end
  std::optional<double> seconds;         // end after that long; absent: on SIGINT or SIGTERM
  bool exit_after_story = false;
};

// Blocks until the end. Returns the exit status: 0, or 1 when something could not start or a turn
// failed. A second signal ends the process at once.
int run_demo(const DemoOptions& options);

}  // namespace berth::cli
