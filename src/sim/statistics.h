// Percentiles, survival curves, means: the arithmetic of the tables.
#pragma once

#include <vector>

namespace berth::sim {

// The q-quantile (0..1) by linear interpolation between the two nearest order statistics (Hyndman
// and Fan's type 7, what numpy and R do by default). 0 of nothing.
double percentile(std::vector<double> values, double q);

// A wait that ended, or one that had lasted this long when the window closed.
struct Wait {
  double seconds = 0;
  bool ended = true;
};

// The q-quantile by Kaplan and Meier's product limit (JASA 1958): the first time at which the share
// still waiting, prod(1 - 1/at risk) over the waits that ended, is at most 1 - q. Waits that were
// cut off count as longer than they were seen; leaving them out would flatter a policy that lets
// some clients starve. If the curve never falls that far, the longest time seen: a lower bound. 0
// of nothing.
double survival_percentile(std::vector<Wait> waits, double q);

double mean(const std::vector<double>& values);
// Standard deviation of a sample (n - 1). 0 of fewer than two.
double deviation(const std::vector<double>& values);

}  // namespace berth::sim
