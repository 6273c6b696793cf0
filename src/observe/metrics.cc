#include "observe/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <sstream>

#include "base/check.h"
#include "observe/text.h"

namespace berth::observe {
namespace {

constexpr std::size_t kMaxLabelValue = 256;

bool has_only_name_characters(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_good_name(std::string_view name, prometheus::MetricType type) {
  const bool total = name.ends_with("_total");
  return has_only_name_characters(name) && name.starts_with("berth_") &&
         total == (type == prometheus::MetricType::Counter);
}

// `le` is the histogram's own.
bool is_good_label(std::string_view name) {
  return has_only_name_characters(name) && !(name[0] >= '0' && name[0] <= '9') && name != "le";
}

prometheus::ClientMetric with_labels(const Labels& labels) {
  prometheus::ClientMetric metric;
  for (const auto& [name, value] : labels) {
    metric.label.push_back({name, valid_utf8(value, kMaxLabelValue)});
  }
  return metric;
}

prometheus::ClientMetric histogram_metric(const Labels& labels, const Histogram& histogram) {
  prometheus::ClientMetric metric = with_labels(labels);
  const auto counts = histogram.cumulative();
  for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
    metric.histogram.bucket.push_back({counts[i], histogram.bounds()[i]});
  }
  metric.histogram.sample_count = counts.back();
  metric.histogram.sample_sum = histogram.sum();
  return metric;
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), buckets_(bounds_.size() + 1) {
  BERTH_CHECK(std::is_sorted(bounds_.begin(), bounds_.end()));
}

void Histogram::observe(double seconds) {
  if (std::isnan(seconds)) return;
  const double value = std::clamp(seconds, 0.0, 1e9);
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  buckets_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_ns_.fetch_add(static_cast<std::uint64_t>(std::llround(value * 1e9)),
                    std::memory_order_relaxed);
}

std::vector<std::uint64_t> Histogram::cumulative() const {
  std::vector<std::uint64_t> counts;
  counts.reserve(buckets_.size());
  std::uint64_t total = 0;
  for (const auto& bucket : buckets_) {
    total += bucket.load(std::memory_order_relaxed);
    counts.push_back(total);
  }
  return counts;
}

double Histogram::sum() const {
  return static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) / 1e9;
}

std::vector<double> latency_bounds() {
  return {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75,
          1,     2.5,   5,    7.5,  10,   20,   40,   80,  160,  640, 2560};
}

struct Registry::Family {
  std::string name;
  std::string help;
  prometheus::MetricType type = prometheus::MetricType::Untyped;
  mutable std::mutex mutex;  // of the lists below; their elements never move
  std::map<Labels, std::shared_ptr<Counter>> counters;
  std::map<Labels, std::shared_ptr<Histogram>> histograms;
  std::vector<std::shared_ptr<const std::function<std::vector<Sample>()>>> readers;

  void append_samples(prometheus::MetricFamily& out) const;
  prometheus::MetricFamily snapshot() const;
};

void Registry::Family::append_samples(prometheus::MetricFamily& out) const {
  decltype(readers) now;
  {
    const std::scoped_lock lock(mutex);
    now = readers;
  }
  std::set<Labels> seen;
  for (const auto& read : now) {
    for (auto& sample : (*read)()) {
      if (!seen.insert(sample.labels).second) continue;
      prometheus::ClientMetric metric = with_labels(sample.labels);
      (type == prometheus::MetricType::Gauge ? metric.gauge.value : metric.counter.value) =
          sample.value;
      out.metric.push_back(std::move(metric));
    }
  }
}

prometheus::MetricFamily Registry::Family::snapshot() const {
  prometheus::MetricFamily out{name, help, type, {}};
  {
    const std::scoped_lock lock(mutex);
    for (const auto& [labels, counter] : counters) {
      prometheus::ClientMetric metric = with_labels(labels);
      metric.counter.value = static_cast<double>(counter->value());
      out.metric.push_back(std::move(metric));
    }
    for (const auto& [labels, histogram] : histograms) {
      out.metric.push_back(histogram_metric(labels, *histogram));
    }
  }
  append_samples(out);
  return out;
}

Registry::Registry() = default;
Registry::~Registry() = default;

Registry::Family& Registry::family(std::string_view name, std::string_view help, int type) {
  const auto kind = static_cast<prometheus::MetricType>(type);
  BERTH_CHECK(is_good_name(name, kind));
  BERTH_CHECK(!help.empty());
  const std::scoped_lock lock(mutex_);
  auto found = families_.find(name);
  if (found == families_.end()) {
    auto made = std::make_shared<Family>();
    made->name = name;
    made->help = help;
    made->type = kind;
    found = families_.emplace(std::string(name), std::move(made)).first;
  }
  BERTH_CHECK(found->second->type == kind && found->second->help == help);
  return *found->second;
}

std::shared_ptr<Counter> Registry::counter(std::string_view name, std::string_view help,
                                           Labels labels) {
  for (const auto& label : labels) BERTH_CHECK(is_good_label(label.first));
  Family& into = family(name, help, static_cast<int>(prometheus::MetricType::Counter));
  const std::scoped_lock lock(into.mutex);
  auto& child = into.counters[std::move(labels)];
  if (!child) child = std::make_shared<Counter>();
  return child;
}

std::shared_ptr<Histogram> Registry::histogram(std::string_view name, std::string_view help,
                                               Labels labels, std::vector<double> bounds) {
  for (const auto& label : labels) BERTH_CHECK(is_good_label(label.first));
  Family& into = family(name, help, static_cast<int>(prometheus::MetricType::Histogram));
  const std::scoped_lock lock(into.mutex);
  auto& child = into.histograms[std::move(labels)];
  if (!child) child = std::make_shared<Histogram>(std::move(bounds));
  return child;
}

void Registry::forget(const std::function<bool(const Labels&)>& gone) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [name, family] : families_) {
    const std::scoped_lock family_lock(family->mutex);
    std::erase_if(family->counters, [&gone](const auto& child) { return gone(child.first); });
    std::erase_if(family->histograms, [&gone](const auto& child) { return gone(child.first); });
  }
}

void Registry::collect(std::string_view name, std::string_view help, Kind kind,
                       std::function<std::vector<Sample>()> read) {
  const auto type =
      kind == Kind::kGauge ? prometheus::MetricType::Gauge : prometheus::MetricType::Counter;
  Family& into = family(name, help, static_cast<int>(type));
  const std::scoped_lock lock(into.mutex);
  into.readers.push_back(
      std::make_shared<const std::function<std::vector<Sample>()>>(std::move(read)));
}

std::string Registry::text() const {
  std::vector<std::shared_ptr<Family>> now;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& entry : families_) now.push_back(entry.second);
  }
  std::vector<prometheus::MetricFamily> families;
  for (const auto& entry : now) {
    auto snapshot = entry->snapshot();
    // A family without a child yet would be a bare HELP line.
    if (!snapshot.metric.empty()) families.push_back(std::move(snapshot));
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return out.str();
}

}  // namespace berth::observe
