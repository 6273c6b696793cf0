// What vllm:prefix_cache_queries_total and _hits_total count.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::engine_http {

enum class PrefixCounters : std::uint8_t {
  kAdmission,  // a request once, when it is admitted (vllm-project/vllm#48860, July 2026)
  kAttempt,    // before that: every attempt, so a blocked head of the queue counts once a step
};
// "admission", "attempt".
inline std::optional<PrefixCounters> prefix_counters_from_name(std::string_view name) {
  if (name == "admission") return PrefixCounters::kAdmission;
  if (name == "attempt") return PrefixCounters::kAttempt;
  return std::nullopt;
}

}  // namespace berth::engine_http
