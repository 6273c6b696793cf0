// Runs a ServerModel in real time, or faster or slower by a fixed factor, and hands its events to
// their requests.
//
// Thread: the io_context's, but for stats() and now(), which any thread may call.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/server_model.h"
#include "net/types.h"

namespace berth::engine_http {

class ModelDriver {
 public:
  // Called for every event of a request, the last one kFinished. May submit and abort.
  using Sink = std::function<void(const engine::Event&)>;

  // `time_scale`: seconds of the model in a second of the clock.
  ModelDriver(net::Executor executor, std::unique_ptr<engine::ServerModel> model,
              double time_scale);

  // The rank chosen, or the model's refusal. request.id is set here and told through `id`.
  Result<std::uint32_t> submit(engine::EngineRequest request, Sink sink, engine::RequestId& id);
  // No event follows. Unknown ids are ignored.
  void abort(engine::RequestId id);
  // Cancels the timer: nothing happens any more.
  void stop();

  std::vector<engine::RankStats> stats() const;
  const engine::ServerSpec& spec() const { return model_->spec(); }
  // The model's time.
  Instant now() const;

 private:
  // Everything due by now, then the timer for what comes next.
  void pump();
  void arm();
  void on_timer(net::error_code error);
  net::Timer::time_point clock_time(Instant model_time) const;

  net::Timer timer_;
  std::unique_ptr<engine::ServerModel> model_;
  double time_scale_;
  Instant origin_;  // where the model's time and the clock's agree
  engine::RequestId next_id_ = 1;
  std::unordered_map<engine::RequestId, Sink> sinks_;
  std::optional<Instant> armed_for_;
  std::shared_ptr<ModelDriver*> self_;  // null once this is gone: the timer's handler looks
  mutable std::mutex mutex_;            // guards model_
};

}  // namespace berth::engine_http
