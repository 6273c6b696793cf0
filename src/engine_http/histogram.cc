#include "engine_http/histogram.h"

#include <algorithm>
#include <utility>

namespace berth::engine_http {

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), buckets_(bounds_.size() + 1) {}

void Histogram::observe(double value) {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  ++buckets_[static_cast<std::size_t>(bucket)];
  ++count_;
  sum_ += value;
}

std::vector<std::uint64_t> Histogram::cumulative() const {
  std::vector<std::uint64_t> out;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) out.push_back(total += buckets_[i]);
  return out;
}

}  // namespace berth::engine_http
