// One data-parallel rank in time: its scheduler, the step under way and, with asynchronous
// scheduling, the step that follows it.
//
// Source: vllm/v1/engine/core.py (step, step_with_batch_queue). A step is planned when the one
// before it ends or, on an idle rank, when a request comes; what comes while a step runs waits for
// the next planning. With async_scheduling two steps are in hand: at the end of step k, step k+1
// (planned before) begins at once and step k+2 is planned, so a request that comes in between waits
// one step longer than without.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/balancer.h"
#include "engine/scheduler.h"
#include "engine/server_model.h"

namespace berth::engine {

class Rank {
 public:
  // `oracle` may be null.
  Rank(const ServerSpec& spec, std::shared_ptr<KvOracle> oracle);

  void submit(EngineRequest request, Instant now);
  // True if it was here.
  bool abort(RequestId id) { return scheduler_.abort(id); }
  // When the step under way ends; nothing while idle.
  std::optional<Instant> step_end() const { return step_end_; }
  // Ends the step under way, at step_end(), and begins the next.
  void finish_step(std::vector<Event>& out);

  RankLoad load() const;
  RankStats stats() const;
  const Scheduler& scheduler() const { return scheduler_; }

 private:
  void plan_ahead(Instant now);
  void begin(Instant now);
  void account(const PlannedStep& step);

  bool async_;
  StepTime time_;
  Scheduler scheduler_;
  // The step under way is first; the one that follows is second, without chunks if there is none.
  std::array<PlannedStep, 2> steps_;
  std::optional<Instant> step_end_;
  RankStats counters_;  // steps and seconds only
};

}  // namespace berth::engine
