// Metric families in Prometheus' text format, one sample a rank. Not for users of exposition.h.
#pragma once

#include <prometheus/metric_family.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/server_model.h"
#include "engine_http/histogram.h"

namespace berth::engine_http {

// Refers to the name and the statistics it is given. Families come out in the order they were
// begun.
class ExpositionWriter {
 public:
  using Labels = std::vector<prometheus::ClientMetric::Label>;
  using Value = std::function<double(const engine::RankStats&)>;

  ExpositionWriter(const std::string& model_name, const std::vector<engine::RankStats>& stats)
      : model_name_(model_name), stats_(stats) {}

  void begin(prometheus::MetricType type, std::string name, std::string help);
  // To the family begun last: one sample a rank, with the labels `engine` and `model_name` before
  // the extra ones.
  void add_samples(const Value& value, const Labels& extra = {});
  // A family of that.
  void add(prometheus::MetricType type, std::string name, std::string help, const Value& value);
  void add_histogram_sample(std::size_t rank, const Histogram& histogram);
  prometheus::ClientMetric& add_sample(std::size_t rank, const Labels& extra,
                                       bool with_model = true);
  // Without any label of ours.
  prometheus::ClientMetric& add_bare_sample(const Labels& labels);

  std::string text() const;

 private:
  const std::string& model_name_;
  const std::vector<engine::RankStats>& stats_;
  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace berth::engine_http
