// The gateway's own counts, resolved once so that a request only increments. The catalogue
// (observe/catalogue.h) has every metric; what the routers count themselves is read in
// fleet_metrics.h.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "observe/metrics.h"
#include "observe/status.h"
#include "routing/types.h"

namespace berth::gateway {

// What one model's requests observe.
struct ModelMetrics {
  std::shared_ptr<observe::Histogram> ttfb;
  std::shared_ptr<observe::Histogram> duration;
  std::shared_ptr<observe::Histogram> queue;
  // By status class 1xx..5xx; 0: none was sent.
  std::array<std::shared_ptr<observe::Counter>, 6> responses;
  std::shared_ptr<observe::Counter> bytes_in;
  std::shared_ptr<observe::Counter> bytes_out;
  std::shared_ptr<observe::Counter> keep_alives;
  // By routing::Reason.
  std::array<std::shared_ptr<observe::Counter>, routing::kReasonCount> decisions;
};

// Any thread.
class GatewayMetrics {
 public:
  GatewayMetrics(observe::Registry& registry, WallTime now);

  std::shared_ptr<const ModelMetrics> model(const std::string& name);
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
  // Drops what is counted for models that are no longer there, and for replicas their models no
  // longer have: names come and go for as long as the process lives. What a request that is still
  // under way adds to them is lost.
  void forget_others(const std::vector<observe::ModelStatus>& present);
  void reload(bool ok, WallTime now);
  // Was the newest configuration taken, and when did the one in force begin?
  bool last_reload_ok() const { return reload_ok_.load(); }
  WallTime configured_at() const { return configured_at_.load(); }

 private:
  observe::Registry& registry_;
  std::array<observe::Counter, routing::kOutcomeCount> without_model_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const ModelMetrics>> models_;
  std::map<int, std::shared_ptr<observe::Counter>> errors_;
  std::array<std::shared_ptr<observe::Counter>, 2> reloads_;  // failed, ok
  std::atomic<bool> reload_ok_{true};
  std::atomic<WallTime> configured_at_;
};

// The `model` label of requests that named no model Berth serves.
inline constexpr const char* kNoModel = "none";

}  // namespace berth::gateway
