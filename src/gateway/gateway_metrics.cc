#include "gateway/gateway_metrics.h"

#include <fmt/format.h>

#include <set>

#include "observe/catalogue.h"

namespace berth::gateway {

namespace metric = observe::metric;

GatewayMetrics::GatewayMetrics(observe::Registry& registry, WallTime now)
    : registry_(registry), configured_at_(now) {
  reloads_ = {observe::counter(registry, metric::kReloads, {"failed"}),
              observe::counter(registry, metric::kReloads, {"ok"})};
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    const std::string name(error_code_name(static_cast<ErrorCode>(code)));
    errors_[code] = observe::counter(registry, metric::kErrors, {name});
  }
}

std::shared_ptr<const ModelMetrics> GatewayMetrics::model(const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const ModelMetrics>& known = models_[name];
  if (known) return known;
  const auto metrics = std::make_shared<ModelMetrics>();
  metrics->ttfb = observe::histogram(registry_, metric::kTtfb, {name});
  metrics->duration = observe::histogram(registry_, metric::kDuration, {name});
  metrics->queue = observe::histogram(registry_, metric::kQueue, {name});
  for (std::size_t i = 0; i < metrics->responses.size(); ++i) {
    const std::string status = i == 0 ? "none" : fmt::format("{}xx", i);
    metrics->responses[i] = observe::counter(registry_, metric::kResponses, {name, status});
  }
  for (std::size_t i = 0; i < metrics->decisions.size(); ++i) {
    const std::string reason(routing::reason_name(static_cast<routing::Reason>(i)));
    metrics->decisions[i] = observe::counter(registry_, metric::kDecisions, {name, reason});
  }
  metrics->bytes_in = observe::counter(registry_, metric::kRequestBytes, {name});
  metrics->bytes_out = observe::counter(registry_, metric::kResponseBytes, {name});
  metrics->keep_alives = observe::counter(registry_, metric::kKeepAlives, {name});
  known = metrics;
  return known;
}

void GatewayMetrics::error(ErrorCode code) { errors_.at(static_cast<int>(code))->add(); }

void GatewayMetrics::retry(const std::string& model, const std::string& replica) {
  observe::counter(registry_, metric::kRetries, {model, replica})->add();
}

void GatewayMetrics::forget_others(const std::vector<observe::ModelStatus>& present) {
  std::map<std::string, std::set<std::string>> replicas;  // by model
  for (const observe::ModelStatus& model : present) {
    std::set<std::string>& labels = replicas[model.name];
    for (const auto& replica : model.replicas) labels.insert(replica.routing.spec.label);
  }
  const auto gone = [&replicas](const observe::Labels& labels) {
    std::string model;
    std::string replica;
    for (const auto& [name, value] : labels) {
      if (name == "model") model = value;
      if (name == "replica") replica = value;
    }
    if (model.empty()) return false;
    const auto known = replicas.find(model);
    return known == replicas.end() || (!replica.empty() && !known->second.contains(replica));
  };
  const std::lock_guard lock(mutex_);
  std::erase_if(models_, [&](const auto& one) { return !replicas.contains(one.first); });
  registry_.forget(gone);
}

void GatewayMetrics::reload(bool ok, WallTime now) {
  reloads_.at(ok ? 1 : 0)->add();
  reload_ok_ = ok;
  if (ok) configured_at_ = now;
}

}  // namespace berth::gateway
