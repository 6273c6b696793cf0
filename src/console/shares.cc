#include "console/shares.h"

namespace berth::console {
namespace {

using routing::Outcome;

std::uint64_t count(const OutcomeCounts& outcomes, Outcome outcome) {
  return outcomes[static_cast<std::size_t>(outcome)];
}

}  // namespace

std::optional<double> share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<double> sticky_share(const OutcomeCounts& outcomes) {
  const std::uint64_t sticky = count(outcomes, Outcome::kSticky);
  return share(sticky, sticky + count(outcomes, Outcome::kOverflow) +
                           count(outcomes, Outcome::kMoved) + count(outcomes, Outcome::kFailover));
}

std::uint64_t dispatched(const OutcomeCounts& outcomes) {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : outcomes) sum += n;
  return sum - count(outcomes, Outcome::kRefused) - count(outcomes, Outcome::kAbandoned);
}

}  // namespace berth::console
