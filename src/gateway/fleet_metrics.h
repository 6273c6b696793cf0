// Exposes what the routers, the fleet and the process count themselves: read when /metrics is asked
// for, so that no count is kept twice.
#pragma once

#include "gateway/server_roster.h"
#include "gateway/shared_state.h"

namespace berth::gateway {

// Everything given must outlive the registry's last text().
void register_fleet_metrics(SharedState& shared, const ServerRoster& roster);

}  // namespace berth::gateway
