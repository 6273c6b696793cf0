#include "routing/threshold.h"

#include <algorithm>

namespace berth::routing {
namespace {

constexpr std::uint32_t kSequencesPerThreshold = 4;

}  // namespace

std::string Threshold::text() const {
  std::string out = std::to_string(value);
  if (automatic) out += assumed ? " (auto, assumed)" : " (auto)";
  return out;
}

Threshold threshold_of(const Settings& settings, std::uint32_t most_running) {
  if (settings.overflow_threshold) return {*settings.overflow_threshold, false, false};
  const bool assumed = !settings.max_num_seqs.has_value();
  const std::uint32_t limit =
      settings.max_num_seqs.value_or(std::max(Settings::kAssumedMaxNumSeqs, most_running));
  return {std::max(limit / kSequencesPerThreshold, 1U), true, assumed};
}

}  // namespace berth::routing
