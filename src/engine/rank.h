// One data-parallel rank: a queue, the running sequences, the cache, and the step that is under
// way.
//
// A step decodes one token of every sequence whose prompt is computed and spends the rest of the
// token budget on prompts, one at a time in the order of arrival. What a step does takes effect at
// its end; prompt blocks can be hit from its start, as in vLLM.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/balancer.h"
#include "engine/block_cache.h"
#include "engine/sequence.h"
#include "engine/server_model.h"

namespace berth::engine {

class Rank {
 public:
  explicit Rank(const ServerSpec& spec);

  // Whether the request can ever run here.
  bool can_hold(std::uint64_t prompt_tokens, std::uint32_t output_tokens) const;
  void enqueue(EngineRequest request);
  // True if it was here.
  bool abort(RequestId id);
  // When the step under way ends; nothing while idle.
  std::optional<Instant> step_end() const { return step_end_; }
  // Applies the step that ends now. Call start_step() after it.
  void finish_step(std::vector<Event>& out);
  // Starts the next step at `now`, if there is work and none is under way.
  void start_step(Instant now);

  RankLoad load() const;
  RankStats stats() const;

 private:
  using Sequences = std::vector<std::unique_ptr<Sequence>>;

  void plan_decodes(std::uint64_t& budget, double& seconds);
  void plan_prompts(std::uint64_t& budget, double& seconds, Instant now);
  // The sequence whose prompt is next: one under way, or the head of the queue if it fits.
  Sequence* next_prompt(Instant now);
  Sequence* admit(Instant now);
  void apply(Sequence& sequence, Instant now, std::vector<Event>& out);

  ServerSpec spec_;
  BlockCache cache_;
  std::deque<std::unique_ptr<Sequence>> waiting_;
  Sequences running_;
  std::optional<Instant> step_end_;
  RankStats counters_;
};

}  // namespace berth::engine
