// The published measurement that the reference workload repeats: LM Warden, October 2026, on
// 4 x RTX A4000 16 GB, Qwen3-4B-Instruct-2507 in bf16, data_parallel_size 4, vLLM 0.26.0; one
// run of three minutes a cell. 9 to 31 sessions end in a stage, so one more or less is 20 an hour.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/measures.h"

namespace berth::sim {

struct PublishedCell {
  std::uint32_t sessions = 0;
  bool affinity = false;
  // Only what was published: sessions an hour, output tokens a minute, TTFB p50 and p95, replicas
  // busy, prefix hits, and with affinity the share that stayed.
  Measures measures;
};

const std::vector<PublishedCell>& published_cells();
// None for a stage that was not measured.
const PublishedCell* published_cell(std::uint32_t sessions, bool affinity);

}  // namespace berth::sim
