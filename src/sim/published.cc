#include "sim/published.h"

namespace berth::sim {
namespace {

struct Numbers {
  double sessions_per_hour;
  double output_tokens_per_min;
  double p50_s;
  double p95_s;
  double busy;
  double hits_percent;
  double stayed_percent;  // 0: not published
};

PublishedCell cell(std::uint32_t sessions, bool affinity, const Numbers& numbers) {
  PublishedCell out;
  out.sessions = sessions;
  out.affinity = affinity;
  out.measures.sessions_per_hour = numbers.sessions_per_hour;
  out.measures.output_tokens_per_min = numbers.output_tokens_per_min;
  out.measures.ttfb_p50_s = numbers.p50_s;
  out.measures.ttfb_p95_s = numbers.p95_s;
  out.measures.replicas_busy = numbers.busy;
  out.measures.prefix_hit_ratio = numbers.hits_percent / 100;
  out.measures.stayed_ratio = numbers.stayed_percent / 100;
  return out;
}

}  // namespace

const std::vector<PublishedCell>& published_cells() {
  static const std::vector<PublishedCell> all = {
      cell(4, false, {180, 5'886, 2.05, 3.5, 2.71, 56.2, 0}),
      cell(4, true, {240, 6'744, 0.38, 2.84, 2.83, 86.4, 100}),
      cell(8, false, {300, 8'364, 2.33, 6.32, 3.74, 44.3, 0}),
      cell(8, true, {380, 10'752, 0.48, 5.03, 3.74, 86.1, 100}),
      cell(16, false, {300, 9'558, 3.25, 26.24, 3.91, 33.2, 0}),
      cell(16, true, {360, 12'204, 0.85, 24.88, 3.69, 48.6, 100}),
      cell(24, false, {300, 9'048, 5.06, 58.82, 3.91, 32.8, 0}),
      cell(24, true, {420, 11'178, 13.14, 38.34, 4, 37.9, 89.1}),
      cell(32, false, {520, 14'760, 12.32, 82.84, 4, 31.6, 0}),
      cell(32, true, {620, 16'638, 27.66, 38.92, 4, 31.6, 67.3}),
  };
  return all;
}

const PublishedCell* published_cell(std::uint32_t sessions, bool affinity) {
  for (const PublishedCell& one : published_cells()) {
    if (one.sessions == sessions && one.affinity == affinity) return &one;
  }
  return nullptr;
}

}  // namespace berth::sim
