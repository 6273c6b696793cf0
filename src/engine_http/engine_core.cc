#include "engine_http/engine_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace berth::engine_http {

void FaultQueue::push(const FaultPlan& plan, std::uint32_t times) {
  const std::lock_guard lock(mutex_);
  const std::size_t room = kMostQueuedFaults - plans_.size();
  plans_.insert(plans_.end(), std::min<std::size_t>(times, room), plan);
}

std::optional<FaultPlan> FaultQueue::pop() {
  const std::lock_guard lock(mutex_);
  if (plans_.empty()) return std::nullopt;
  const FaultPlan plan = plans_.front();
  plans_.pop_front();
  return plan;
}

EngineCore::EngineCore(net::Executor executor_in, EngineOptions options_in,
                       std::unique_ptr<Recorder> recorder_in)
    : executor(executor_in),
      options(std::move(options_in)),
      driver(executor, engine::make_server(options.spec), options.time_scale),
      metrics(options.spec.ranks),
      recorder(std::move(recorder_in)),
      started_at(std::chrono::duration_cast<std::chrono::seconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count()),
      random(std::random_device{}()) {}

bool EngineCore::serves(std::string_view model) const {
  return std::find(options.models.begin(), options.models.end(), model) != options.models.end();
}

std::uint64_t EngineCore::max_model_len() const {
  return options.max_model_len == 0 ? engine::max_request_tokens(options.spec)
                                    : options.max_model_len;
}

std::string EngineCore::new_id(std::string_view prefix) {
  return fmt::format("{}{:016x}{:016x}", prefix, random(), random());
}

}  // namespace berth::engine_http
