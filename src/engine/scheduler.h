// The scheduler of one rank: what the next step computes, and what follows from its end.
//
// Source: vllm/v1/core/sched/scheduler.py (schedule, _preempt_request, update_from_output,
// finish_requests) and async_scheduler.py. A step is planned thus, within a budget of
// max_num_batched_tokens:
//
// 1. Running sequences in the order of the list: each gets all it still has to compute (one token
//    when it decodes), as far as the budget goes. If its blocks do not fit, the last of the list is
//    preempted, until they fit or it was itself the last: it gives back its blocks, is computed
//    again from the start (less what it finds in the cache) and goes to the head of the queue.
// 2. If nothing was preempted: the queue, first come first served, while budget and max_num_seqs
//    last. A prompt may be cut to the budget. If the head does not fit, everybody waits behind it;
//    a waiting request never preempts anybody.
//
// A token of a step counts as computed from its planning on, and a block that it fills can be hit
// from then on, even by a request admitted later in the same step.
//
// With async_scheduling a step is planned while the one before it still runs. Its decodes continue
// from tokens that are not back yet; a block of output can be hit once its tokens are back; a
// request that ends by itself has one decode planned too many, which is thrown away (one that ends
// at max_tokens has not: that end is foreseen). A request that is preempted while a step computes
// its next token gets that token.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/prefix_cache.h"
#include "engine/sequence.h"
#include "engine/server_model.h"
#include "engine/step_time.h"

namespace berth::engine {

// Why requests were left in the queue by a step.
enum class Blocked : std::uint8_t { kNobody, kKv, kSeqs, kBudget };

struct PlannedChunk {
  Sequence* sequence = nullptr;
  std::uint32_t tokens = 0;
  bool completes = false;  // gives an output token, or the end of a pooling request
};

struct PlannedStep {
  std::vector<PlannedChunk> chunks;  // in the order they were planned
  StepLoad load;
  Blocked blocked = Blocked::kNobody;
};

class Scheduler {
 public:
  // `oracle` may be null.
  Scheduler(const ServerSpec& spec, std::shared_ptr<KvOracle> oracle);

  // To the end of the queue.
  void enqueue(EngineRequest request);
  // Gives back what it holds. False if there is no such request.
  bool abort(RequestId id);
  // Replaces `step` by the next one; without chunks if there is nothing to compute.
  void plan(PlannedStep& step, Instant now);
  // Steps end in the order they were planned.
  void finish(const PlannedStep& step, Instant now, std::vector<Event>& out);

  // In the order of the lists.
  const std::deque<Sequence*>& waiting() const { return waiting_; }
  const std::vector<Sequence*>& running() const { return running_; }
  const BlockPool& pool() const { return cache_.pool(); }
  // All but what only the rank knows: steps and seconds.
  RankStats stats() const;

 private:
  // Returns what is left of the budget.
  std::uint32_t plan_running(PlannedStep& step, std::uint32_t budget);
  void plan_waiting(PlannedStep& step, std::uint32_t budget, Instant now);
  bool end_is_foreseen(const Sequence& sequence) const;
  std::uint32_t chunk_of(std::uint32_t left, std::uint32_t budget) const;
  // Preempts from the end of the list until it fits. False if it had to go itself.
  bool make_room(Sequence& sequence, std::uint32_t tokens);
  void preempt_last();
  void admit(Sequence& sequence, const PrefixMatch& match, Instant now);
  void add_chunk(PlannedStep& step, Sequence& sequence, std::uint32_t tokens);
  void take_output(Sequence& sequence, Instant now, std::vector<Event>& out);
  // It is over: gives back what it holds. Forgotten once no planned step names it.
  void end(Sequence& sequence);
  void forget_ended();

  ServerSpec spec_;
  PrefixCache cache_;
  SequencePool sequences_;
  std::deque<Sequence*> waiting_;
  std::vector<Sequence*> running_;
  bool preempted_ = false;        // in the step being planned
  std::vector<Sequence*> ended_;  // in the step being finished
  RankStats counters_;
};

}  // namespace berth::engine
