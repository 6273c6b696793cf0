#include "sim/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace berth::sim {

double percentile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= values.size()) return values.back();
  const double part = at - static_cast<double>(below);
  return values[below] * (1 - part) + values[below + 1] * part;
}

double survival_percentile(std::vector<Wait> waits, double q) {
  if (waits.empty()) return 0;
  // At equal times those that ended go first: the cut-off ones were still waiting then.
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.ended && !b.ended;
  });
  constexpr double kRounding = 1e-12;
  double waiting = 1;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (!waits[i].ended) continue;
    waiting *= 1 - 1 / static_cast<double>(waits.size() - i);
    if (waiting <= 1 - q + kRounding) return waits[i].seconds;
  }
  return waits.back().seconds;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace berth::sim
