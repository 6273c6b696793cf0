// What all worker threads share. Owned by the Gateway, outlives every worker.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "base/keyed_hash.h"
#include "config/schema.h"
#include "gateway/body_budget.h"
#include "gateway/gateway_metrics.h"
#include "gateway/live_config.h"
#include "gateway/model_table.h"
#include "gateway/unreachable_hint.h"

namespace berth::gateway {

class SharedState {
 public:
  SharedState(const Clock& clock_in, const KeyedHash& hash_in, observe::Registry& registry_in,
              ModelTable& models_in, const config::Config& config)
      : clock(clock_in),
        hash(hash_in),
        registry(registry_in),
        models(models_in),
        metrics(registry_in, clock_in.wall()),
        bodies(config.limits.body_bytes_in_memory),
        started(clock_in.wall()),
        request_base(hash_in.value("request ids") +
                     static_cast<std::uint64_t>(started.time_since_epoch().count())) {}

  const Clock& clock;
  const KeyedHash hash;
  observe::Registry& registry;
  ModelTable& models;
  GatewayMetrics metrics;
  BodyBudget bodies;
  const WallTime started;  // of this process; what the model list gives as the models' date
  std::atomic<bool> draining{false};
  std::atomic<std::uint32_t> connections{0};    // open now
  std::atomic<std::uint32_t> requests{0};       // under way now
  std::atomic<std::uint64_t> request_count{0};  // ever; numbers the ids of requests that bring none
  const std::uint64_t request_base;             // where those ids begin; differs between processes
  UnreachableHint unreachable;

  std::shared_ptr<const LiveConfig> live() const {
    const std::lock_guard lock(mutex_);
    return live_;
  }
  void set_live(std::shared_ptr<const LiveConfig> live) {
    const std::lock_guard lock(mutex_);
    live_ = std::move(live);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const LiveConfig> live_;
};

}  // namespace berth::gateway
