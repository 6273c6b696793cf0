#include "engine_http/model_driver.h"

#include <utility>

namespace berth::engine_http {

ModelDriver::ModelDriver(net::Executor executor, std::unique_ptr<engine::ServerModel> model,
                         double time_scale)
    : timer_(executor),
      model_(std::move(model)),
      time_scale_(time_scale),
      origin_(std::chrono::steady_clock::now()),
      self_(std::make_shared<ModelDriver*>(this)) {}

Instant ModelDriver::now() const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - origin_;
  return origin_ + std::chrono::duration_cast<Duration>(passed * time_scale_);
}

net::Timer::time_point ModelDriver::clock_time(Instant model_time) const {
  const std::chrono::duration<double> ahead = model_time - origin_;
  // Rounded up: a timer that fires early would find nothing due.
  return origin_ + std::chrono::ceil<Duration>(ahead / time_scale_);
}

Result<std::uint32_t> ModelDriver::submit(engine::EngineRequest request, Sink sink,
                                          engine::RequestId& id) {
  pump();
  request.id = next_id_++;
  id = request.id;
  Result<std::uint32_t> rank = [&] {
    const std::lock_guard lock(mutex_);
    // A pump that took long may have let an event fall due; it happens first.
    Instant at = now();
    if (const auto due = model_->next_event(); due && *due < at) at = *due;
    return model_->submit(std::move(request), at);
  }();
  if (rank) sinks_.emplace(id, std::move(sink));
  arm();
  return rank;
}

void ModelDriver::abort(engine::RequestId id) {
  if (sinks_.erase(id) == 0) return;
  {
    const std::lock_guard lock(mutex_);
    Instant at = now();
    if (const auto due = model_->next_event(); due && *due < at) at = *due;
    model_->abort(id, at);
  }
  arm();
}

void ModelDriver::stop() {
  self_.reset();
  timer_.cancel();
}

std::vector<engine::RankStats> ModelDriver::stats() const {
  const std::lock_guard lock(mutex_);
  return model_->stats();
}

void ModelDriver::pump() {
  std::vector<engine::Event> events;
  {
    const std::lock_guard lock(mutex_);
    model_->advance(now(), events);
  }
  for (const engine::Event& event : events) {
    const auto found = sinks_.find(event.id);
    if (found == sinks_.end()) continue;
    if (event.kind == engine::EventKind::kFinished) {
      const Sink last = std::move(found->second);
      sinks_.erase(found);
      last(event);
    } else {
      found->second(event);
    }
  }
}

void ModelDriver::arm() {
  const std::optional<Instant> next = model_->next_event();
  if (next == armed_for_) return;
  armed_for_ = next;
  if (!next) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(clock_time(*next));
  timer_.async_wait([self = std::weak_ptr(self_)](net::error_code error) {
    if (const auto driver = self.lock()) (*driver)->on_timer(error);
  });
}

void ModelDriver::on_timer(net::error_code error) {
  if (error) return;  // armed anew
  armed_for_.reset();
  pump();
  arm();
}

}  // namespace berth::engine_http
