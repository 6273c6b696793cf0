// A histogram with fixed buckets, as Prometheus counts it. Not thread safe.
#pragma once

#include <cstdint>
#include <vector>

namespace berth::engine_http {

class Histogram {
 public:
  // `bounds` ascending, without infinity.
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);
  const std::vector<double>& bounds() const { return bounds_; }
  // Of values up to each bound.
  std::vector<std::uint64_t> cumulative() const;
  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> buckets_;  // one more than bounds
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace berth::engine_http
