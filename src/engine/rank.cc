#include "engine/rank.h"

#include <cmath>
#include <utility>

#include "base/check.h"

namespace berth::engine {

Rank::Rank(const ServerSpec& spec, std::shared_ptr<KvOracle> oracle)
    : async_(spec.async_scheduling), time_(spec.step), scheduler_(spec, std::move(oracle)) {}

void Rank::submit(EngineRequest request, Instant now) {
  scheduler_.enqueue(std::move(request));
  if (!step_end_) plan_ahead(now);
}

void Rank::finish_step(std::vector<Event>& out) {
  BERTH_CHECK(step_end_.has_value());
  const Instant now = *step_end_;
  step_end_.reset();
  account(steps_[0]);
  scheduler_.finish(steps_[0], now, out);
  if (async_) {
    std::swap(steps_[0], steps_[1]);
    steps_[1].chunks.clear();
    if (!steps_[0].chunks.empty()) begin(now);
  }
  plan_ahead(now);
}

void Rank::plan_ahead(Instant now) {
  if (!step_end_) {
    scheduler_.plan(steps_[0], now);
    if (steps_[0].chunks.empty()) {
      // Nothing runs, so all blocks are free and whatever waited would have been admitted.
      BERTH_CHECK(scheduler_.waiting().empty());
      return;
    }
    begin(now);
  }
  if (async_) scheduler_.plan(steps_[1], now);
}

void Rank::begin(Instant now) {
  const double nanoseconds = time_.seconds(steps_[0].load) * 1e9;
  step_end_ = now + Duration(std::llround(nanoseconds));
}

void Rank::account(const PlannedStep& step) {
  ++counters_.steps;
  const double prefill = time_.prefill_seconds(step.load);
  const double decode = time_.decode_seconds(step.load);
  const double all = time_.base + prefill + decode;
  counters_.base_seconds += time_.base;
  counters_.prefill_seconds += prefill;
  counters_.decode_seconds += decode;
  switch (step.blocked) {
    case Blocked::kNobody:
      break;
    case Blocked::kKv:
      counters_.kv_blocked_seconds += all;
      break;
    case Blocked::kSeqs:
      counters_.seqs_blocked_seconds += all;
      break;
    case Blocked::kBudget:
      counters_.budget_blocked_seconds += all;
      break;
  }
}

RankLoad Rank::load() const {
  const BlockPool& blocks = scheduler_.pool();
  return {
      .waiting = static_cast<std::uint32_t>(scheduler_.waiting().size()),
      .running = static_cast<std::uint32_t>(scheduler_.running().size()),
      .kv_usage = static_cast<double>(blocks.referenced()) / static_cast<double>(blocks.usable())};
}

RankStats Rank::stats() const {
  RankStats stats = scheduler_.stats();
  stats.steps = counters_.steps;
  stats.base_seconds = counters_.base_seconds;
  stats.prefill_seconds = counters_.prefill_seconds;
  stats.decode_seconds = counters_.decode_seconds;
  stats.kv_blocked_seconds = counters_.kv_blocked_seconds;
  stats.seqs_blocked_seconds = counters_.seqs_blocked_seconds;
  stats.budget_blocked_seconds = counters_.budget_blocked_seconds;
  return stats;
}

}  // namespace berth::engine
