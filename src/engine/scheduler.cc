#include "engine/scheduler.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace berth::engine {

Scheduler::Scheduler(const ServerSpec& spec, std::shared_ptr<KvOracle> oracle)
    : spec_(spec), cache_(spec, std::move(oracle)) {
  counters_.num_gpu_blocks = gpu_blocks(spec);
}

void Scheduler::enqueue(EngineRequest request) {
  waiting_.push_back(sequences_.make(std::move(request)));
}

void Scheduler::plan(PlannedStep& step, Instant now) {
  step.chunks.clear();
  step.load = {};
  preempted_ = false;
  const std::uint32_t budget = plan_running(step, spec_.max_num_batched_tokens);
  step.blocked = Blocked::kNobody;
  if (waiting_.empty()) return;
  if (preempted_) {
    step.blocked = Blocked::kKv;
  } else {
    plan_waiting(step, budget, now);
  }
}

std::uint32_t Scheduler::plan_running(PlannedStep& step, std::uint32_t budget) {
  for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
    Sequence& sequence = *running_[i];
    if (end_is_foreseen(sequence)) continue;
    const std::uint32_t left = sequence.known_tokens() + sequence.expected - sequence.computed;
    const std::uint32_t tokens = chunk_of(left, budget);
    if (tokens == 0) continue;
    if (!make_room(sequence, sequence.computed + tokens)) break;
    add_chunk(step, sequence, tokens);
    budget -= tokens;
  }
  return budget;
}

// The tokens of planned steps reach max_tokens (async scheduling: the next step is planned before
// they are back).
bool Scheduler::end_is_foreseen(const Sequence& sequence) const {
  return sequence.expected > 0 && sequence.produced + sequence.expected >= sequence.max_tokens();
}

std::uint32_t Scheduler::chunk_of(std::uint32_t left, std::uint32_t budget) const {
  if (spec_.long_prefill_token_threshold > 0) {
    left = std::min(left, spec_.long_prefill_token_threshold);
  }
  return std::min(left, budget);
}

bool Scheduler::make_room(Sequence& sequence, std::uint32_t tokens) {
  while (!cache_.extend(sequence, tokens)) {
    const bool itself = running_.back() == &sequence;
    preempt_last();
    if (itself) return false;
  }
  return true;
}

void Scheduler::preempt_last() {
  Sequence& victim = *running_.back();
  running_.pop_back();
  cache_.release(victim);
  victim.state = Sequence::State::kWaiting;
  victim.computed = 0;
  ++victim.preemptions;
  ++counters_.preemptions;
  preempted_ = true;
  waiting_.push_front(&victim);
}

void Scheduler::plan_waiting(PlannedStep& step, std::uint32_t budget, Instant now) {
  while (!waiting_.empty()) {
    if (budget == 0 || running_.size() >= spec_.max_num_seqs) {
      step.blocked = budget == 0 ? Blocked::kBudget : Blocked::kSeqs;
      return;
    }
    Sequence& head = *waiting_.front();
    BERTH_CHECK(head.expected == 0);
    const PrefixMatch& match = cache_.match(head);
    if (head.preemptions == 0) {
      counters_.prefix_attempt_queries += head.known_tokens();
      counters_.prefix_attempt_hits += match.tokens;
    }
    const std::uint32_t tokens = chunk_of(head.known_tokens() - match.tokens, budget);
    if (!cache_.admits(head, match, tokens, !running_.empty())) {
      cache_.keep_match(head);
      step.blocked = Blocked::kKv;
      return;
    }
    waiting_.pop_front();
    admit(head, match, now);
    BERTH_CHECK(cache_.extend(head, head.computed + tokens));
    add_chunk(step, head, tokens);
    budget -= tokens;
  }
}

void Scheduler::admit(Sequence& sequence, const PrefixMatch& match, Instant now) {
  cache_.adopt(sequence, match);
  sequence.state = Sequence::State::kRunning;
  running_.push_back(&sequence);
  if (sequence.preemptions > 0) return;
  sequence.cached = match.tokens;
  sequence.scheduled_at = now;
  counters_.prefix_queries += sequence.known_tokens();
  counters_.prefix_hits += match.tokens;
}

void Scheduler::add_chunk(PlannedStep& step, Sequence& sequence, std::uint32_t tokens) {
  const std::uint32_t wanted = sequence.known_tokens() + sequence.expected;
  const std::uint32_t before = sequence.computed;
  sequence.computed += tokens;
  if (before < sequence.furthest) {
    const std::uint32_t again = std::min(sequence.furthest, sequence.computed) - before;
    sequence.recomputed += again;
    counters_.recomputed_tokens += again;
  }
  sequence.furthest = std::max(sequence.furthest, sequence.computed);
  if (tokens == 1 && before >= sequence.request.prompt_tokens && sequence.computed == wanted) {
    step.load.add_decode(before);
    ++counters_.decode_tokens;
  } else {
    step.load.add_chunk(before, tokens);
    counters_.prefill_tokens += tokens;
  }
  // Tokens that are not back yet cannot be hashed.
  cache_.publish(sequence, std::min(sequence.computed, sequence.known_tokens()));
  const bool completes = sequence.computed == wanted;
  if (completes && !sequence.is_pooling()) ++sequence.expected;
  ++sequence.planned_steps;
  step.chunks.push_back({.sequence = &sequence, .tokens = tokens, .completes = completes});
}

RankStats Scheduler::stats() const {
  RankStats stats = counters_;
  const BlockPool& blocks = cache_.pool();
  stats.running = static_cast<std::uint32_t>(running_.size());
  stats.waiting = static_cast<std::uint32_t>(waiting_.size());
  stats.kv_usage = static_cast<double>(blocks.referenced()) / static_cast<double>(blocks.usable());
  stats.evicted_blocks = blocks.evicted();
  stats.cached_blocks = blocks.cached();
  return stats;
}

}  // namespace berth::engine
