// What the handlers of one simulated server share. Not for users of engine_server.h.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "engine_http/engine_server.h"
#include "engine_http/fault_plan.h"
#include "engine_http/model_driver.h"
#include "engine_http/recorder.h"
#include "engine_http/request_metrics.h"
#include "engine_http/watched_responder.h"
#include "http/server.h"

namespace berth::engine_http {

// Plans for the requests to come, whoever sends them.
inline constexpr std::uint32_t kMostQueuedFaults = 1'000;

class FaultQueue {
 public:
  void push(const FaultPlan& plan, std::uint32_t times);
  std::optional<FaultPlan> pop();

 private:
  std::mutex mutex_;
  std::deque<FaultPlan> plans_;
};

struct EngineCore {
  EngineCore(net::Executor executor_in, EngineOptions options_in,
             std::unique_ptr<Recorder> recorder_in);

  bool serves(std::string_view model) const;
  // Tokens that prompt and output may have together.
  std::uint64_t max_model_len() const;
  // `prefix` and 32 hex digits.
  std::string new_id(std::string_view prefix);

  net::Executor executor;
  EngineOptions options;
  ModelDriver driver;
  RequestMetrics metrics;
  std::unique_ptr<Recorder> recorder;  // null: none
  FaultQueue faults;
  std::atomic<std::uint64_t> in_flight{0};
  std::int64_t started_at;  // seconds since 1970
  std::mt19937_64 random;
};

// One request being handled. Owner: its coroutine.
struct Call {
  std::shared_ptr<EngineCore> core;
  http::Request* request = nullptr;
  WatchedResponder* responder = nullptr;
  Record* record = nullptr;
};

}  // namespace berth::engine_http
