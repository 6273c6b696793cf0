#include "observe/catalogue.h"

#include <cstddef>
#include <utility>

#include "base/check.h"

namespace berth::observe {
namespace {

constexpr std::array kAll = {
    &metric::kRequests,   &metric::kDecisions,    &metric::kResponses,     &metric::kErrors,
    &metric::kInFlight,   &metric::kConnections,  &metric::kTtfb,          &metric::kQueue,
    &metric::kDuration,   &metric::kPromptTokens, &metric::kCachedTokens,  &metric::kOutputTokens,
    &metric::kUnmeasured, &metric::kRequestBytes, &metric::kResponseBytes, &metric::kKeepAlives,
    &metric::kRetries,    &metric::kConnects,     &metric::kReuses,        &metric::kBindings,
    &metric::kResident,   &metric::kThreshold,    &metric::kReplicaState,  &metric::kRunning,
    &metric::kWaiting,    &metric::kKvUsage,      &metric::kKvCapacity,    &metric::kPrefixQueries,
    &metric::kPrefixHits, &metric::kPreemptions,  &metric::kScrapeAge,     &metric::kScrapeFailures,
    &metric::kLogDropped, &metric::kReloads,      &metric::kReloadOk,      &metric::kReloadTime,
    &metric::kStartTime,  &metric::kBuildInfo,
};

Labels with_names(const MetricSpec& spec, const std::vector<std::string>& values) {
  Labels labels;
  for (std::size_t i = 0; i < spec.labels.size() && !spec.labels[i].empty(); ++i) {
    BERTH_CHECK(i < values.size());
    labels.emplace_back(spec.labels[i], values[i]);
  }
  BERTH_CHECK(labels.size() == values.size());
  return labels;
}

}  // namespace

std::span<const MetricSpec* const> catalogue() { return kAll; }

std::shared_ptr<Counter> counter(Registry& registry, const MetricSpec& spec,
                                 const std::vector<std::string>& values) {
  BERTH_CHECK(spec.type == MetricType::kCounter);
  return registry.counter(spec.name, spec.help, with_names(spec, values));
}

std::shared_ptr<Histogram> histogram(Registry& registry, const MetricSpec& spec,
                                     const std::vector<std::string>& values) {
  BERTH_CHECK(spec.type == MetricType::kHistogram);
  return registry.histogram(spec.name, spec.help, with_names(spec, values), latency_bounds());
}

void collect(Registry& registry, const MetricSpec& spec,
             std::function<std::vector<Reading>()> read) {
  BERTH_CHECK(spec.type != MetricType::kHistogram);
  const auto kind =
      spec.type == MetricType::kGauge ? Registry::Kind::kGauge : Registry::Kind::kCounter;
  registry.collect(spec.name, spec.help, kind, [&spec, read = std::move(read)] {
    std::vector<Registry::Sample> samples;
    for (const auto& reading : read())
      samples.push_back({with_names(spec, reading.values), reading.value});
    return samples;
  });
}

}  // namespace berth::observe
