// The gateway's own counts, resolved once so that a request only increments. The catalogue
// (observe/catalogue.h) has every metric; what the routers count themselves is read in
// fleet_metrics.h.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "observe/metrics.h"
#include "routing/types.h"

namespace berth::gateway {

// What one model's requests observe.
struct ModelMetrics {
  observe::Histogram* ttfb = nullptr;
  observe::Histogram* duration = nullptr;
  observe::Histogram* queue = nullptr;
  std::array<observe::Counter*, 6> responses{};  // by status class 1xx..5xx; 0: none was sent
  observe::Counter* bytes_in = nullptr;
  observe::Counter* bytes_out = nullptr;
  observe::Counter* keep_alives = nullptr;
  std::array<observe::Counter*, routing::kReasonCount> decisions{};  // by routing::Reason
};

// Any thread. Pointers and references stay valid for the registry's life.
class GatewayMetrics {
 public:
  explicit GatewayMetrics(observe::Registry& registry);

  const ModelMetrics* model(const std::string& name);
  void error(ErrorCode code);
  // A request that was sent a second time, by the replica that failed the first.
  void retry(const std::string& model, const std::string& replica);
  // A request that ended before any model was known.
  void without_model(routing::Outcome outcome) {
    without_model_[static_cast<std::size_t>(outcome)].add();
  }
  std::uint64_t without_model_count(routing::Outcome outcome) const {
    return without_model_[static_cast<std::size_t>(outcome)].value();
  }
  void reload(bool ok);

 private:
  observe::Registry& registry_;
  std::array<observe::Counter, routing::kOutcomeCount> without_model_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<ModelMetrics>> models_;
  std::unordered_map<int, observe::Counter*> errors_;
};

// The `model` label of requests that named no model Berth serves.
inline constexpr const char* kNoModel = "none";

}  // namespace berth::gateway
