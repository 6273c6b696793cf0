#include "gateway/gateway_metrics.h"

#include <fmt/format.h>

#include "observe/catalogue.h"

namespace berth::gateway {

namespace metric = observe::metric;

GatewayMetrics::GatewayMetrics(observe::Registry& registry) : registry_(registry) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    const std::string name(error_code_name(static_cast<ErrorCode>(code)));
    errors_[code] = &observe::counter(registry, metric::kErrors, {name});
  }
}

const ModelMetrics* GatewayMetrics::model(const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<ModelMetrics>& metrics = models_[name];
  if (metrics) return metrics.get();
  metrics = std::make_unique<ModelMetrics>();
  metrics->ttfb = &observe::histogram(registry_, metric::kTtfb, {name});
  metrics->duration = &observe::histogram(registry_, metric::kDuration, {name});
  metrics->queue = &observe::histogram(registry_, metric::kQueue, {name});
  for (std::size_t i = 0; i < metrics->responses.size(); ++i) {
    const std::string status = i == 0 ? "none" : fmt::format("{}xx", i);
    metrics->responses[i] = &observe::counter(registry_, metric::kResponses, {name, status});
  }
  for (std::size_t i = 0; i < metrics->decisions.size(); ++i) {
    const std::string reason(routing::reason_name(static_cast<routing::Reason>(i)));
    metrics->decisions[i] = &observe::counter(registry_, metric::kDecisions, {name, reason});
  }
  metrics->bytes_in = &observe::counter(registry_, metric::kRequestBytes, {name});
  metrics->bytes_out = &observe::counter(registry_, metric::kResponseBytes, {name});
  metrics->keep_alives = &observe::counter(registry_, metric::kKeepAlives, {name});
  return metrics.get();
}

void GatewayMetrics::error(ErrorCode code) { errors_.at(static_cast<int>(code))->add(); }

void GatewayMetrics::retry(const std::string& model, const std::string& replica) {
  observe::counter(registry_, metric::kRetries, {model, replica}).add();
}

void GatewayMetrics::reload(bool ok) {
  observe::counter(registry_, metric::kReloads, {ok ? "ok" : "failed"}).add();
}

}  // namespace berth::gateway
