// Berth's own metrics. Base units, prefix berth_, closed label sets: the label values are the
// models, replicas, outcomes and codes that exist, never anything a client sent.
//
// Threads: counters and histograms are updated from any thread without a lock (relaxed atomics, one
// cache line each); exposition reads them at leisure.
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

// TTFB and duration buckets, up to an hour: vLLM's own TTFT bounds, so the two can be laid side by
// side.
std::vector<double> latency_bounds();

// Families by name; a child is made once, at configuration or discovery, and then only updated,
// until what its labels name is gone.
//
// A bad name, or one name with two kinds or helps, is a bug and fails a check: names are [a-z0-9_]
// with the prefix berth_; counters end in _total, nothing else does. The names in use are in
// catalogue.h. Any thread may call anything. Readers given to collect() are called without a lock
// held, from whichever thread calls text(); they must be safe there and must outlive the registry.
class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // The same labels again give the same child. One that was forgotten may still be updated by those
  // who hold it.
  std::shared_ptr<Counter> counter(std::string_view name, std::string_view help, Labels labels);
  std::shared_ptr<Histogram> histogram(std::string_view name, std::string_view help, Labels labels,
                                       std::vector<double> bounds);
  // Drops the children whose labels say so from every family. What collect() reads comes and goes
  // by itself.
  void forget(const std::function<bool(const Labels&)>& gone);
  // Gauges (and counters kept elsewhere) are read when scraped. Several readers of one family add
  // up; of two samples with the same labels the first is kept.
  struct Sample {
    Labels labels;
    double value = 0;
  };
  enum class Kind : std::uint8_t { kGauge, kCounter };
  void collect(std::string_view name, std::string_view help, Kind kind,
               std::function<std::vector<Sample>()> read);
  // Prometheus text format 0.0.4, families in name order.
  std::string text() const;

 private:
  struct Family;
  Family& family(std::string_view name, std::string_view help, int type);

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Family>, std::less<>> families_;
};

// What text() is served as.
inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace berth::observe
