#include "sim/trace_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace berth::sim {
namespace {

struct Quantile {
  double at;
  double seconds;
};
constexpr std::array<Quantile, 17> kAutonomousGaps = {{{0, 0},
                                                       {0.05, 0.011},
                                                       {0.2, 0.019},
                                                       {0.4, 0.033},
                                                       {0.5, 0.05},
                                                       {0.6, 0.117},
                                                       {0.7, 0.972},
                                                       {0.75, 2.344},
                                                       {0.8, 6.753},
                                                       {0.9, 8.909},
                                                       {0.95, 10.67},
                                                       {0.97, 12.82},
                                                       {0.98, 15.3},
                                                       {0.99, 25.95},
                                                       {0.995, 58.17},
                                                       {0.999, 120},
                                                       {1, 120}}};

std::uint64_t largest_of(const ConversationPlan& plan) {
  std::uint64_t largest = 0;
  for (const TurnPlan& turn : plan.turns) {
    largest = std::max(largest, std::uint64_t{turn.prompt_tokens} + turn.output_tokens);
    for (const ConversationPlan& child : turn.children) {
      largest = std::max(largest, largest_of(child));
    }
  }
  return largest;
}

void cut_gaps(ConversationPlan& plan, double most_s) {
  const Duration most(static_cast<std::int64_t>(most_s * 1e9));
  for (TurnPlan& turn : plan.turns) {
    turn.gap = std::min(turn.gap, most);
    for (ConversationPlan& child : turn.children) cut_gaps(child, most_s);
  }
}

// Alone on a replica: the longest of what runs side by side counts.
double seconds_alone(const ConversationPlan& plan, const engine::StepTime& step,
                     std::uint32_t shared, bool gaps) {
  double total = 0;
  for (std::size_t i = 0; i < plan.turns.size(); ++i) {
    const TurnPlan& turn = plan.turns[i];
    double children = 0;
    for (const ConversationPlan& child : turn.children) {
      children = std::max(children, seconds_alone(child, step, shared, gaps));
    }
    const std::uint32_t kept = std::min(i == 0 ? shared : turn.kept_tokens, turn.prompt_tokens);
    engine::StepLoad prompt;
    prompt.add_chunk(kept, turn.prompt_tokens - kept);
    engine::StepLoad token;
    token.add_decode(turn.prompt_tokens);
    total += children + step.seconds(prompt) + step.seconds(token) * turn.output_tokens;
    if (gaps && i > 0) total += to_seconds(turn.gap);
  }
  return total;
}

double mean_autonomous_gap() {
  double mean = 0;
  for (std::size_t i = 1; i < kAutonomousGaps.size(); ++i) {
    const Quantile& low = kAutonomousGaps.at(i - 1);
    const Quantile& high = kAutonomousGaps.at(i);
    mean += (high.at - low.at) * (low.seconds + high.seconds) / 2;
  }
  return mean;
}

}  // namespace

double autonomous_gap(double at) {
  for (std::size_t i = 1; i < kAutonomousGaps.size(); ++i) {
    const Quantile& low = kAutonomousGaps.at(i - 1);
    const Quantile& high = kAutonomousGaps.at(i);
    if (at > high.at) continue;
    return low.seconds + (high.seconds - low.seconds) * (at - low.at) / (high.at - low.at);
  }
  return kAutonomousGaps.back().seconds;
}

Result<TraceWorkload> TraceWorkload::make(Conversations conversations,
                                          const TraceSettings& settings) {
  TraceWorkload out;
  out.autonomous_gaps_ = settings.autonomous_gaps;
  const bool named = conversations.empty() || conversations.front().content.empty();
  out.shared_tokens_ = named ? settings.shared_tokens : 0;
  for (ConversationPlan& plan : conversations) {
    const std::uint64_t largest = largest_of(plan);
    if (settings.max_context > 0 && largest > settings.max_context) {
      ++out.dropped_;
      continue;
    }
    out.largest_ = std::max(out.largest_, largest);
    cut_gaps(plan, settings.max_gap_s);
    out.count(plan);
    out.conversations_.push_back(std::move(plan));
  }
  if (out.conversations_.empty()) {
    return fail(ErrorCode::kConfig,
                fmt::format("--max-context: all {} conversations have a request of more than {} "
                            "tokens",
                            out.dropped_, settings.max_context));
  }
  return out;
}

void TraceWorkload::count(const ConversationPlan& plan) {
  for (const TurnPlan& turn : plan.turns) {
    ++requests_;
    tokens_ += std::uint64_t{turn.prompt_tokens} + turn.output_tokens;
    for (const ConversationPlan& child : turn.children) count(child);
  }
}

double TraceWorkload::mean_context() const {
  return static_cast<double>(tokens_) / static_cast<double>(requests_);
}

std::uint32_t TraceWorkload::clients_for(double ratio, std::uint64_t kv_tokens) const {
  const double clients = ratio * static_cast<double>(kv_tokens) / mean_context();
  return std::max(1U, static_cast<std::uint32_t>(std::llround(clients)));
}

double TraceWorkload::mean_session_seconds(const engine::StepTime& step) const {
  double total = 0;
  std::uint64_t turns = 0;
  for (const ConversationPlan& plan : conversations_) {
    total += seconds_alone(plan, step, shared_tokens_, !autonomous_gaps_);
    turns += plan.turns.size() - 1;
  }
  if (autonomous_gaps_) total += static_cast<double>(turns) * mean_autonomous_gap();
  return total / static_cast<double>(conversations_.size());
}

void TraceWorkload::prepare(ConversationPlan& plan, Random& random) const {
  TurnPlan& first = plan.turns.front();
  first.kept_tokens = std::min(shared_tokens_, first.prompt_tokens);
  for (TurnPlan& turn : plan.turns) {
    if (autonomous_gaps_) {
      turn.gap = Duration(static_cast<std::int64_t>(autonomous_gap(random.unit()) * 1e9));
    }
    for (ConversationPlan& child : turn.children) prepare(child, random);
  }
}

ConversationPlan TraceWorkload::draw(const SessionDraw& which, Random& random) const {
  const std::size_t count = conversations_.size();
  if (!conversations_.front().named) {
    return conversations_[(which.stage_seed % count + which.session) % count];
  }
  ConversationPlan plan = conversations_[random.below(count)];
  if (which.initial) {
    const auto skipped = static_cast<std::ptrdiff_t>(random.below(plan.turns.size()));
    plan.turns.erase(plan.turns.begin(), plan.turns.begin() + skipped);
    plan.whole = skipped == 0;
  }
  prepare(plan, random);
  return plan;
}

}  // namespace berth::sim
