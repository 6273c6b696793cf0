#include "routing/leaving_home.h"

#include <algorithm>
#include <limits>

#include "routing/placement.h"

namespace berth::routing {
namespace {

// The replica with the fewest in flight, if that is fewer than at `from`.
ReplicaIndex less_loaded(const ReplicaSet& replicas, const Servers& servers, const Binding& binding,
                         ReplicaIndex from, std::uint64_t placement_hash) {
  std::vector<ReplicaIndex> others = replicas.well(servers, from);
  if (others.empty()) return kNoReplica;
  others = with_fewest_in_flight(replicas, others);
  if (replicas.load(others.front()) >= replicas.load(from)) return kNoReplica;
  if (std::find(others.begin(), others.end(), binding.last_overflow) != others.end()) {
    return binding.last_overflow;
  }
  return place(replicas, std::move(others), placement_hash);
}

bool move_pays(const ReplicaSet& replicas, const Binding& binding, ReplicaIndex to,
               const Settings& settings, Instant now) {
  const std::uint32_t at_home = replicas.load(binding.home);
  const std::uint32_t there = replicas.load(to);
  const bool just_moved =
      binding.last_moved != Instant{} && now - binding.last_moved < settings.move_cooldown;
  return at_home - there >= settings.move_gap && at_home >= settings.move_ratio * there &&
         binding.tokens <= settings.move_max_tokens &&
         binding.busy_streak >= settings.move_after_overflows && !just_moved;
}

}  // namespace

Leaving leave_home(const ReplicaSet& replicas, const Servers& servers, Binding& binding,
                   ReplicaIndex from, std::uint64_t placement_hash, std::uint32_t threshold,
                   const Settings& settings, Instant now) {
  if (replicas.load(from) <= threshold) {
    binding.busy_streak = 0;
    return {};
  }
  constexpr auto kMost = std::numeric_limits<std::uint16_t>::max();
  if (binding.busy_streak < kMost) ++binding.busy_streak;
  const ReplicaIndex to = less_loaded(replicas, servers, binding, from, placement_hash);
  if (to == kNoReplica) return {Leaving::Kind::kStayNoBetter, kNoReplica};
  const bool from_home = from == binding.home;
  if (from_home && move_pays(replicas, binding, to, settings, now)) {
    return {Leaving::Kind::kMove, to};
  }
  return {Leaving::Kind::kOverflow, to};
}

}  // namespace berth::routing
