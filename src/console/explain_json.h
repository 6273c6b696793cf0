// Why each conversation of a session is where it is, as JSON. docs/admin-api.md lists every field.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "console/json.h"
#include "observe/status.h"

namespace berth::console {

// `found` is what the source knows of the session, `fleet` gives the replicas their labels, `now`
// is the moment both were taken. Session and agent ids leave only as `hash_of` makes them.
Json explain_json(const std::vector<observe::ModelExplanation>& found,
                  const observe::FleetStatus& fleet, const observe::StatusSource& source,
                  Instant now);

}  // namespace berth::console
