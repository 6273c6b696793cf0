// What a window of a run came to: one cell of a table, and where each replica's time went.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/server_model.h"

namespace berth::sim {

// Where a replica's time and work went in a window.
struct ReplicaAccount {
  std::string label;
  // Differences of the window; gauges in it mean nothing.
  engine::RankStats work;
  double window_s = 0;
  // Means and the highest over the polls, once a second.
  double running = 0;
  double waiting = 0;
  double kv_usage = 0;
  double kv_usage_max = 0;
  double busy = 0;  // share of polls with a request running
  std::uint64_t turns = 0;
  // Prompt tokens of later turns that were computed before in the same conversation and had to be
  // computed again: because they had been evicted here, and because the turn came from elsewhere.
  std::uint64_t reread_evicted = 0;
  std::uint64_t reread_elsewhere = 0;
  // Later turns that found less than half of their history where the last turn had left it: the
  // conversation lived, and its cache had gone.
  std::uint64_t evicted_alive = 0;
};

// Every definition is in docs/simulator.md. Times in seconds, shares 0..1.
struct Measures {
  double output_tokens_per_min = 0;
  double turns_per_min = 0;
  double sessions_per_hour = 0;
  double ttfb_p50_s = 0;
  double ttfb_p95_s = 0;
  double ttfb_p95_km_s = 0;
  double ttfb_max_s = 0;
  double ttfb_mean_s = 0;
  double session_mean_s = 0;
  double session_p95_s = 0;
  double session_p95_km_s = 0;
  double prefix_hit_ratio = 0;
  double prefix_hit_ratio_per_attempt = 0;
  double stayed_ratio = 0;
  double replicas_busy = 0;
  double kv_usage_max = 0;           // of any replica at any poll
  double reread_tokens_per_min = 0;  // evicted and elsewhere
  double preemptions_per_min = 0;
  double unanswered = 0;  // requests without a first byte at the end of the window
  double errors = 0;      // answers that were errors; their clients tried again
};

struct MeasureField {
  std::string_view name;  // in JSON and CSV
  double Measures::* value;
};
// In the order of the columns.
const std::vector<MeasureField>& measure_fields();

struct WindowResult {
  Measures measures;
  std::vector<ReplicaAccount> replicas;
  std::vector<std::string> notes;  // of the policy
};

}  // namespace berth::sim
