// Berth's own metrics. Base units, prefix berth_, closed label sets: the label values are the models, replicas,
// outcomes and codes that exist, never anything a client sent.
//
// Threads: counters and histograms are updated from any thread without a lock (relaxed atomics, one cache line
// each); exposition reads them at leisure.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::observe {

using Labels = std::vector<std::pair<std::string, std::string>>;

class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  alignas(64) std::atomic<std::uint64_t> value_{0};
};

// Fixed buckets, in seconds.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double seconds);
  const std::vector<double>& bounds() const { return bounds_; }
  // Cumulative counts per bound, then the total, and the sum.
  std::vector<std::uint64_t> cumulative() const;
  double sum() const;

 private:
  std::vector<double> bounds_;
  std::vector<std::atomic<std::uint64_t>> buckets_;
  std::atomic<std::uint64_t> sum_ns_{0};
};

// TTFB and duration buckets, up to an hour: vLLM's own TTFT bounds, so the two can be laid side by side.
std::vector<double> latency_bounds();

// Families by name; a child is made once, at configuration or discovery, and then only updated.
class Registry {
 public:
  // References stay valid for the registry's life. `name` without the _total suffix is an error (check).
  Counter& counter(std::string_view name, std::string_view help, Labels labels);
  Histogram& histogram(std::string_view name, std::string_view help, Labels labels, std::vector<double> bounds);
  // Gauges (and counters kept elsewhere) are read when scraped.
  struct Sample { Labels labels; double value = 0; };
  enum class Kind : std::uint8_t { kGauge, kCounter };
  void collect(std::string_view name, std::string_view help, Kind kind, std::function<std::vector<Sample>()> read);
  // Prometheus text format 0.0.4.
  std::string text() const;

 private:
  struct Family;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Family>, std::less<>> families_;
};

}  // namespace berth::observe
