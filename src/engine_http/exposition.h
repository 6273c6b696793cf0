// /metrics: vLLM's names, types and labels over the model's counters.
//
// Source: vllm/v1/metrics/loggers.py. cache_config_info has the sum of num_gpu_blocks over the
// ranks in every rank's row, as vLLM's frontend has it (v1/engine/core_client.py,
// _apply_ready_response).
#pragma once

#include <string>
#include <vector>

#include "engine/server_model.h"
#include "engine_http/prefix_counters.h"
#include "engine_http/request_metrics.h"

namespace berth::engine_http {

struct MetricsShown {
  const std::string& model_name;
  const engine::ServerSpec& spec;
  const std::vector<engine::RankStats>& stats;  // by rank
  const RequestMetrics& requests;
  PrefixCounters prefix_counters = PrefixCounters::kAdmission;
  double unix_seconds = 0;  // now
};

// Prometheus text format 0.0.4.
std::string exposition(const MetricsShown& shown);

}  // namespace berth::engine_http
