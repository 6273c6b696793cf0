// The snapshot: everything the gateway can show, as one JSON document. docs/admin-api.md lists
// every field.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "console/json.h"
#include "observe/status.h"

namespace berth::console {

// Raised when a field changes its meaning or goes away; new fields do not raise it.
inline constexpr int kSnapshotSchema = 1;

// A scrape older than this says nothing about now: what it told is shown as absent, never as zero.
// Scrapes come every second by default; ten missed ones are no hiccup.
inline constexpr Duration kStaleAfter = std::chrono::seconds(10);

// `now` is the moment `status` was taken, on the clock that made its instants.
Json snapshot_json(const observe::FleetStatus& status, Instant now);

// UTC, to the second: "2026-11-30T13:15:00Z".
std::string iso_time(WallTime time);

}  // namespace berth::console
