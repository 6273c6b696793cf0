// One model of the snapshot: its settings, its replicas and their sums.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "console/json.h"
#include "console/shares.h"
#include "observe/status.h"

namespace berth::console {

// Sums over replicas. `running` and `waiting` count only replicas whose engine is known now; absent
// when none is.
struct Totals {
  OutcomeCounts outcomes{};
  std::optional<std::uint64_t> running;
  std::optional<std::uint64_t> waiting;
  std::uint64_t in_flight = 0;
  std::uint64_t resident = 0;
  std::uint64_t resident_tokens = 0;
  std::uint64_t kv_capacity_tokens = 0;
  bool kv_capacity_known = true;  // of every replica summed
  std::uint64_t prompt_tokens = 0;
  std::uint64_t cached_tokens = 0;
  std::uint64_t unmeasured = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t bindings = 0;
  std::uint64_t prefix_queries = 0;
  std::uint64_t prefix_hits = 0;
  Totals& operator+=(const Totals& other);
};

Totals model_totals(const observe::ModelStatus& model, const observe::FleetStatus& fleet);
Json totals_json(const Totals& totals);
Json model_json(const observe::ModelStatus& model, const observe::FleetStatus& fleet, Instant now);

// {"value":8,"text":"8 (auto, assumed)","auto":true,"assumed":true}
Json threshold_json(const routing::Threshold& threshold);

// True when the last scrape of the server is too old (or never came) to speak of now.
bool is_stale(const observe::ServerStatus& server);

}  // namespace berth::console
