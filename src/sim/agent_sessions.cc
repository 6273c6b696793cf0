#include "sim/agent_sessions.h"

#include <algorithm>
#include <cmath>

namespace berth::sim {
namespace {

std::uint32_t around(double mean, double spread, Random& random) {
  return static_cast<std::uint32_t>(mean * random.uniform(1 - spread, 1 + spread));
}

Duration seconds(double s) { return Duration(static_cast<std::int64_t>(s * 1e9)); }

constexpr double kSubagentSpread = 0.3;

}  // namespace

std::uint32_t AgentSessions::turns(Random& random) const {
  const auto low = static_cast<double>(settings_.min_turns);
  const auto high = static_cast<double>(settings_.max_turns) + 1;
  if (settings_.tail <= 0) {
    return settings_.min_turns + static_cast<std::uint32_t>(random.below(
                                     settings_.max_turns - settings_.min_turns + std::uint64_t{1}));
  }
  // Inverse of the bounded Pareto distribution.
  const double a = settings_.tail;
  const double most = std::pow(low, -a);
  const double least = std::pow(high, -a);
  const double drawn = std::pow(most - random.unit() * (most - least), -1 / a);
  return std::min(static_cast<std::uint32_t>(drawn), settings_.max_turns);
}

std::uint32_t AgentSessions::output(Random& random) const {
  const double all = settings_.output_tokens;
  if (random.chance(settings_.full_output)) return settings_.output_tokens;
  return std::max(1U, static_cast<std::uint32_t>(random.uniform(all / 8, all)));
}

ConversationPlan AgentSessions::subagent(Random& random) const {
  ConversationPlan plan;
  std::uint32_t context = settings_.shared_tokens;
  for (std::uint32_t i = 0; i < settings_.subagent_turns; ++i) {
    TurnPlan turn;
    turn.kept_tokens = context;
    turn.prompt_tokens =
        context + (i == 0 ? around(settings_.subagent_tokens, kSubagentSpread, random)
                          : around(settings_.turn_tokens, settings_.turn_spread, random));
    turn.output_tokens = settings_.output_tokens;
    context = turn.prompt_tokens + turn.output_tokens;
    plan.turns.push_back(std::move(turn));
  }
  return plan;
}

ConversationPlan AgentSessions::draw(const SessionDraw&, Random& random) const {
  ConversationPlan plan;
  const std::uint32_t count = turns(random);
  const std::uint64_t limit = largest_request();
  std::uint32_t context = settings_.shared_tokens;
  for (std::uint32_t i = 0; i < count; ++i) {
    TurnPlan turn;
    turn.kept_tokens = context;
    std::uint32_t fresh = i == 0 ? around(settings_.first_tokens, settings_.first_spread, random)
                                 : around(settings_.turn_tokens, settings_.turn_spread, random);
    if (i > 0) {
      const double think = settings_.think_s > 0 ? random.exponential(settings_.think_s) : 0;
      turn.gap = settings_.client_gap + seconds(think);
      if (settings_.subagent_share > 0 && random.chance(settings_.subagent_share)) {
        for (std::uint32_t k = 0; k < settings_.subagents; ++k) {
          turn.children.push_back(subagent(random));
          fresh += settings_.subagent_report_tokens;
        }
      }
    }
    turn.prompt_tokens = context + fresh;
    turn.output_tokens = output(random);
    if (turn.prompt_tokens + turn.output_tokens > limit) break;
    context = turn.prompt_tokens + turn.output_tokens;
    plan.turns.push_back(std::move(turn));
  }
  return plan;
}

// Not every turn of a long session is at the top of its spread: a sum of many that is six standard
// deviations above its mean is not met. draw() holds sessions to this, so it is exact all the same.
std::uint64_t AgentSessions::largest_request() const {
  constexpr double kDeviations = 6;
  const double later = settings_.max_turns - 1.0;
  const double reports =
      static_cast<double>(settings_.subagents) * settings_.subagent_report_tokens;
  const double share = settings_.subagent_share;
  const double drawn = settings_.turn_tokens * settings_.turn_spread;
  const double mean = settings_.turn_tokens + settings_.output_tokens + share * reports;
  // Of a uniform draw and of a coin.
  const double variance = drawn * drawn / 3 + share * (1 - share) * reports * reports;
  const double most =
      drawn + settings_.turn_tokens + settings_.output_tokens + (share > 0 ? reports : 0);
  const double sum =
      std::min(later * most, later * mean + kDeviations * std::sqrt(later * variance));
  const double first = settings_.first_tokens * (1 + settings_.first_spread);
  return settings_.shared_tokens + settings_.output_tokens +
         static_cast<std::uint64_t>(first + sum);
}

}  // namespace berth::sim
