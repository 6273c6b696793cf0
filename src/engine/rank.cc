#include "engine/rank.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace berth::engine {
namespace {

Event make_event(EventKind kind, const Sequence& sequence, Instant at, std::uint32_t index) {
  Event event{.kind = kind, .id = sequence.request.id, .at = at, .index = index};
  event.cached_tokens = static_cast<std::uint32_t>(sequence.cached);
  event.scheduled_at = sequence.scheduled_at;
  return event;
}

}  // namespace

// One block is vLLM's null block, which nothing can use.
Rank::Rank(const ServerSpec& spec) : spec_(spec), cache_(gpu_blocks(spec) - 1) {
  counters_.num_gpu_blocks = gpu_blocks(spec);
}

bool Rank::can_hold(std::uint64_t prompt_tokens, std::uint32_t output_tokens) const {
  return prompt_tokens + output_tokens <= cache_.usable() * spec_.block_size;
}

void Rank::enqueue(EngineRequest request) {
  waiting_.push_back(std::make_unique<Sequence>(std::move(request)));
}

bool Rank::abort(RequestId id) {
  const auto is_it = [id](const std::unique_ptr<Sequence>& s) { return s->request.id == id; };
  if (const auto queued = std::find_if(waiting_.begin(), waiting_.end(), is_it);
      queued != waiting_.end()) {
    waiting_.erase(queued);
    ++counters_.aborted;
    return true;
  }
  const auto running = std::find_if(running_.begin(), running_.end(), is_it);
  if (running == running_.end()) return false;
  cache_.release((*running)->lease);
  running_.erase(running);
  ++counters_.aborted;
  return true;
}

void Rank::start_step(Instant now) {
  if (step_end_) return;
  std::uint64_t budget = spec_.max_num_batched_tokens;
  double seconds = spec_.step.base;
  plan_decodes(budget, seconds);
  plan_prompts(budget, seconds, now);
  if (running_.empty()) return;
  step_end_ = now + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

void Rank::plan_decodes(std::uint64_t& budget, double& seconds) {
  for (const std::unique_ptr<Sequence>& sequence : running_) {
    sequence->decodes = sequence->prompt_done() && budget > 0;
    sequence->chunk = 0;
    if (!sequence->decodes) continue;
    --budget;
    seconds += spec_.step.decode_seq +
               spec_.step.decode_context_token * static_cast<double>(sequence->context());
  }
}

void Rank::plan_prompts(std::uint64_t& budget, double& seconds, Instant now) {
  while (budget > 0) {
    Sequence* sequence = next_prompt(now);
    if (sequence == nullptr) return;
    const std::uint64_t left = sequence->prompt_tokens() - sequence->computed;
    sequence->chunk = std::min(budget, left);
    budget -= sequence->chunk;
    const auto before = static_cast<double>(sequence->computed);
    const auto chunk = static_cast<double>(sequence->chunk);
    // A token looks at those before it: at half of its own chunk on average.
    seconds +=
        spec_.step.prefill_token * chunk + spec_.step.attention * chunk * (before + chunk / 2);
    sequence->publish_blocks(cache_, sequence->computed + sequence->chunk, spec_.block_size);
  }
}

Sequence* Rank::next_prompt(Instant now) {
  for (const std::unique_ptr<Sequence>& sequence : running_) {
    if (!sequence->prompt_done() && sequence->chunk == 0) return sequence.get();
  }
  return admit(now);
}

Sequence* Rank::admit(Instant now) {
  if (waiting_.empty() || running_.size() >= spec_.max_num_seqs) return nullptr;
  Sequence& head = *waiting_.front();
  // At least the last token is always computed, so a hit stops short of it.
  const std::uint64_t most = (head.prompt_tokens() - 1) / spec_.block_size;
  const std::span<const BlockHash> all = head.hashes();
  const std::size_t found = cache_.match(all.first(std::min<std::size_t>(most, all.size())));
  const std::span<const BlockHash> hits = all.first(found);
  const std::uint64_t total = head.total_blocks(spec_.block_size);
  if (!cache_.fits(hits, total)) return nullptr;
  head.lease = cache_.take(hits, total);
  head.published_blocks = found;
  head.cached = found * spec_.block_size;
  head.computed = head.cached;
  head.scheduled_at = now;
  counters_.prefix_queries += head.prompt_tokens();
  counters_.prefix_hits += head.cached;
  running_.push_back(std::move(waiting_.front()));
  waiting_.pop_front();
  return running_.back().get();
}

void Rank::finish_step(std::vector<Event>& out) {
  BERTH_CHECK(step_end_.has_value());
  const Instant now = *step_end_;
  step_end_.reset();
  for (const std::unique_ptr<Sequence>& sequence : running_) apply(*sequence, now, out);
  std::erase_if(running_, [this](const std::unique_ptr<Sequence>& sequence) {
    if (!sequence->finished()) return false;
    cache_.release(sequence->lease);
    ++counters_.finished;
    return true;
  });
}

void Rank::apply(Sequence& sequence, Instant now, std::vector<Event>& out) {
  bool token = std::exchange(sequence.decodes, false);
  if (const std::uint64_t chunk = std::exchange(sequence.chunk, 0); chunk > 0) {
    sequence.computed += chunk;
    if (sequence.prompt_done()) {
      counters_.prompt_tokens += sequence.prompt_tokens();
      counters_.prompt_cached += sequence.cached;
      token = sequence.request.output_tokens > 0;
    }
  }
  if (token) {
    if (sequence.request.every_token || sequence.produced == 0) {
      out.push_back(make_event(EventKind::kToken, sequence, now, sequence.produced));
    }
    ++sequence.produced;
    ++counters_.generation_tokens;
    // The KV of the newest token is computed by the step that reads it.
    sequence.publish_blocks(cache_, sequence.prompt_tokens() + sequence.produced - 1,
                            spec_.block_size);
  }
  if (sequence.finished()) {
    out.push_back(make_event(EventKind::kFinished, sequence, now, sequence.produced));
  }
}

RankLoad Rank::load() const {
  return {
      .waiting = static_cast<std::uint32_t>(waiting_.size()),
      .running = static_cast<std::uint32_t>(running_.size()),
      .kv_usage = static_cast<double>(cache_.referenced()) / static_cast<double>(cache_.usable())};
}

RankStats Rank::stats() const {
  RankStats stats = counters_;
  const RankLoad now = load();
  stats.running = now.running;
  stats.waiting = now.waiting;
  stats.kv_usage = now.kv_usage;
  return stats;
}

}  // namespace berth::engine
