// What follows from the end of a step, and from a client that leaves.
#include <algorithm>

#include "engine/scheduler.h"

namespace berth::engine {
namespace {

Event make_event(EventKind kind, const Sequence& sequence, Instant at, std::uint32_t index) {
  return {.kind = kind,
          .rank = 0,
          .id = sequence.request.id,
          .at = at,
          .index = index,
          .cached_tokens = sequence.cached,
          .scheduled_at = sequence.scheduled_at,
          .preemptions = sequence.preemptions,
          .recomputed_tokens = sequence.recomputed};
}

}  // namespace

void Scheduler::finish(const PlannedStep& step, Instant now, std::vector<Event>& out) {
  for (const PlannedChunk& chunk : step.chunks) {
    Sequence& sequence = *chunk.sequence;
    --sequence.planned_steps;
    if (sequence.state == Sequence::State::kDone) {
      if (sequence.planned_steps == 0) sequences_.recycle(&sequence);
    } else if (chunk.completes) {
      take_output(sequence, now, out);
    }
  }
  if (!ended_.empty()) forget_ended();
}

void Scheduler::forget_ended() {
  std::erase_if(running_, [](const Sequence* s) { return s->state == Sequence::State::kDone; });
  for (Sequence* sequence : ended_) {
    if (sequence->planned_steps == 0) sequences_.recycle(sequence);
  }
  ended_.clear();
}

void Scheduler::take_output(Sequence& sequence, Instant now, std::vector<Event>& out) {
  if (sequence.produced == 0) {
    counters_.prompt_tokens += sequence.request.prompt_tokens;
    counters_.prompt_cached += sequence.cached;
  }
  if (!sequence.is_pooling()) {
    if (sequence.request.every_token || sequence.produced == 0) {
      out.push_back(make_event(EventKind::kToken, sequence, now, sequence.produced));
    }
    ++sequence.produced;
    --sequence.expected;
    ++counters_.generation_tokens;
  }
  // What the token completes. A sequence that was preempted meanwhile has computed nothing.
  cache_.publish(sequence, sequence.computed - sequence.expected);
  if (sequence.produced < sequence.request.output_tokens) return;
  out.push_back(make_event(EventKind::kFinished, sequence, now, sequence.produced));
  ++counters_.finished;
  end(sequence);
  ended_.push_back(&sequence);
}

void Scheduler::end(Sequence& sequence) {
  if (sequence.state == Sequence::State::kWaiting) {
    // It had been preempted, and the step under way then gave its last token.
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &sequence));
  }
  cache_.release(sequence);
  sequence.state = Sequence::State::kDone;
}

bool Scheduler::abort(RequestId id) {
  const auto is_it = [id](const Sequence* sequence) { return sequence->request.id == id; };
  Sequence* found = nullptr;
  if (const auto queued = std::find_if(waiting_.begin(), waiting_.end(), is_it);
      queued != waiting_.end()) {
    found = *queued;
  } else if (const auto running = std::find_if(running_.begin(), running_.end(), is_it);
             running != running_.end()) {
    found = *running;
    running_.erase(running);
  } else {
    return false;
  }
  end(*found);
  ++counters_.aborted;
  if (found->planned_steps == 0) sequences_.recycle(found);
  return true;
}

}  // namespace berth::engine
