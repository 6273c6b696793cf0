#include "engine_http/exposition_writer.h"

#include <prometheus/text_serializer.h>

#include <limits>
#include <sstream>
#include <utility>

namespace berth::engine_http {

using prometheus::ClientMetric;
using prometheus::MetricType;

void ExpositionWriter::begin(MetricType type, std::string name, std::string help) {
  families_.push_back(
      {.name = std::move(name), .help = std::move(help), .type = type, .metric = {}});
}

void ExpositionWriter::add_samples(const Value& value, const Labels& extra) {
  for (std::size_t rank = 0; rank < stats_.size(); ++rank) {
    ClientMetric& sample = add_sample(rank, extra);
    const double number = value(stats_[rank]);
    (families_.back().type == MetricType::Counter ? sample.counter.value : sample.gauge.value) =
        number;
  }
}

void ExpositionWriter::add(MetricType type, std::string name, std::string help,
                           const Value& value) {
  begin(type, std::move(name), std::move(help));
  add_samples(value);
}

void ExpositionWriter::add_histogram_sample(std::size_t rank, const Histogram& histogram) {
  ClientMetric::Histogram& shown = add_sample(rank, {}).histogram;
  const std::vector<std::uint64_t> cumulative = histogram.cumulative();
  for (std::size_t bucket = 0; bucket < cumulative.size(); ++bucket) {
    shown.bucket.push_back({cumulative[bucket], histogram.bounds()[bucket]});
  }
  shown.bucket.push_back({histogram.count(), std::numeric_limits<double>::infinity()});
  shown.sample_count = histogram.count();
  shown.sample_sum = histogram.sum();
}

ClientMetric& ExpositionWriter::add_sample(std::size_t rank, const Labels& extra, bool with_model) {
  ClientMetric& sample = families_.back().metric.emplace_back();
  sample.label.push_back({"engine", std::to_string(rank)});
  if (with_model) sample.label.push_back({"model_name", model_name_});
  sample.label.insert(sample.label.end(), extra.begin(), extra.end());
  return sample;
}

ClientMetric& ExpositionWriter::add_bare_sample(const Labels& labels) {
  ClientMetric& sample = families_.back().metric.emplace_back();
  sample.label = labels;
  return sample;
}

std::string ExpositionWriter::text() const {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families_);
  return out.str();
}

}  // namespace berth::engine_http
