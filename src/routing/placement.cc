#include "routing/placement.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "routing/rendezvous.h"

namespace berth::routing {
namespace {

using Candidates = std::vector<ReplicaIndex>;

// Keeps the candidates whose measure is at most the lowest plus `tolerance`.
template <typename Measure>
Candidates within(const Candidates& candidates, Measure measure, double tolerance) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const ReplicaIndex i : candidates) lowest = std::min(lowest, measure(i));
  Candidates kept;
  for (const ReplicaIndex i : candidates) {
    if (measure(i) <= lowest + tolerance) kept.push_back(i);
  }
  return kept;
}

// How much larger the largest candidate's cache is than each one's own; 1 for all when a capacity
// is unknown or they are about equal.
class Sizes {
 public:
  Sizes(const ReplicaSet& replicas, const Candidates& candidates) : replicas_(replicas) {
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    for (const ReplicaIndex i : candidates) {
      const std::uint64_t capacity = replicas[i].spec.kv_capacity_tokens;
      smallest = std::min(smallest, capacity);
      largest_ = std::max(largest_, capacity);
    }
    known_ = smallest > 0;
    differ_ = known_ &&
              static_cast<double>(largest_ - smallest) > kSizeNoise * static_cast<double>(largest_);
  }

  double residents(ReplicaIndex i) const {
    const double residents = replicas_[i].resident;
    if (!differ_) return residents;
    return residents * static_cast<double>(largest_) /
           static_cast<double>(replicas_[i].spec.kv_capacity_tokens);
  }

  // In tokens of the largest replica, or plain tokens.
  double tokens(ReplicaIndex i) const {
    const auto tokens = static_cast<double>(replicas_[i].resident_tokens);
    if (!known_) return tokens;
    return tokens * static_cast<double>(largest_) /
           static_cast<double>(replicas_[i].spec.kv_capacity_tokens);
  }

 private:
  const ReplicaSet& replicas_;
  std::uint64_t largest_ = 0;
  bool known_ = false;
  bool differ_ = false;
};

struct Totals {
  std::uint64_t residents = 0;
  std::uint64_t tokens = 0;
};

Totals totals(const ReplicaSet& replicas, const Candidates& candidates) {
  Totals sum;
  for (const ReplicaIndex i : candidates) {
    sum.residents += replicas[i].resident;
    sum.tokens += replicas[i].resident_tokens;
  }
  return sum;
}

double balance_slack(const ReplicaSet& replicas, const Candidates& candidates,
                     std::uint64_t residents) {
  const bool one_is_empty = std::any_of(candidates.begin(), candidates.end(),
                                        [&](ReplicaIndex i) { return replicas[i].resident == 0; });
  if (one_is_empty) return 0;
  if (residents <= kStrictResidents) return 1;
  return static_cast<double>(
      std::max<std::uint64_t>(residents / candidates.size() / kSlackDivisor, 1));
}

// What equal conversations may differ by within the slack, and at least a share of the mean: so
// much is not a difference in size.
double token_tolerance(const Totals& sum, double slack, std::size_t replicas) {
  if (sum.residents == 0) return 0;
  const auto tokens = static_cast<double>(sum.tokens);
  const double by_slack = (slack + 1) * tokens / static_cast<double>(sum.residents);
  return std::max(by_slack, kTokenTolerance * tokens / static_cast<double>(replicas));
}

}  // namespace

std::vector<ReplicaIndex> with_fewest_in_flight(const ReplicaSet& replicas,
                                                const std::vector<ReplicaIndex>& candidates) {
  return within(
      candidates, [&](ReplicaIndex i) { return static_cast<double>(replicas.load(i)); }, 0);
}

ReplicaIndex place(const ReplicaSet& replicas, std::vector<ReplicaIndex> candidates,
                   std::uint64_t placement_hash) {
  BERTH_CHECK(!candidates.empty());
  const Sizes sizes(replicas, candidates);
  const Totals sum = totals(replicas, candidates);
  const std::size_t replicas_open = candidates.size();
  const double slack = balance_slack(replicas, candidates, sum.residents);
  candidates = with_fewest_in_flight(replicas, candidates);
  candidates =
      within(candidates, [&](ReplicaIndex i) { return replicas.kv_usage(i); }, kKvTolerance);
  candidates = within(candidates, [&](ReplicaIndex i) { return sizes.residents(i); }, slack);
  candidates = within(
      candidates, [&](ReplicaIndex i) { return sizes.tokens(i); },
      token_tolerance(sum, slack, replicas_open));
  return rendezvous(replicas, candidates, placement_hash);
}

}  // namespace berth::routing
