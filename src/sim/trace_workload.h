// Replay of recorded conversations: each client takes one at random, whole, and when it has ended
// another; those there at the start join theirs at a random turn. Conversations without a session
// (Mooncake) come in the order of their file instead, because what they share is with those around
// them.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "engine/step_time.h"
#include "sim/trace.h"
#include "sim/workload.h"

namespace berth::sim {

struct TraceSettings {
  // Conversations with a request of more tokens, prompt and output, are left out. 0: none.
  std::uint64_t max_context = 0;
  // Longer pauses are cut: an agent that went to lunch tells nothing about a cache.
  double max_gap_s = 120;
  // Pauses of agents that work alone, in place of the recorded ones with people in them: drawn from
  // the quantiles of 8,168 gaps of autonomous Claude Code runs (yunwei37/agentcgroup,
  // arXiv:2602.09345): median 0.05 s, mean 2.9 s.
  bool autonomous_gaps = false;
  // Text all conversations begin with. The traces name no blocks across conversations; the median
  // of tools and system prompt in them is about 15,000 tokens.
  std::uint32_t shared_tokens = 15'000;
};

// A gap of an autonomous agent at quantile `at` (0..1), in seconds.
double autonomous_gap(double at);

class TraceWorkload final : public Workload {
 public:
  // kConfig when nothing is left of the conversations.
  static Result<TraceWorkload> make(Conversations conversations, const TraceSettings& settings);

  ConversationPlan draw(const SessionDraw& which, Random& random) const override;
  std::uint32_t shared_tokens() const override { return shared_tokens_; }
  std::uint64_t largest_request() const override { return largest_; }

  std::size_t conversations() const { return conversations_.size(); }
  std::size_t dropped() const { return dropped_; }
  std::uint64_t requests() const { return requests_; }
  // Tokens of a request with its answer, over all requests.
  double mean_context() const;
  // Clients of a closed loop whose conversations fill `ratio` of a fleet's KV cache.
  std::uint32_t clients_for(double ratio, std::uint64_t kv_tokens) const;
  // How long a conversation takes on average where nothing is in its way: its pauses, its new
  // prompt tokens and its output at the pace of a replica that serves only it.
  double mean_session_seconds(const engine::StepTime& step) const;

 private:
  TraceWorkload() = default;
  void count(const ConversationPlan& plan);
  void prepare(ConversationPlan& plan, Random& random) const;

  Conversations conversations_;
  bool autonomous_gaps_ = false;
  std::uint32_t shared_tokens_ = 0;
  std::size_t dropped_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t largest_ = 0;
};

}  // namespace berth::sim
