#include "routing/sticky.h"

#include "routing/failover.h"
#include "routing/leaving_home.h"
#include "routing/near_parent.h"
#include "routing/placement.h"

namespace berth::routing {

std::optional<ReplicaIndex> Sticky::by_placement(std::uint64_t placement_hash,
                                                 const std::vector<ReplicaIndex>& open) {
  if (open.empty()) return std::nullopt;
  const ReplicaIndex home =
      place(replicas_, slow_start_.admit(replicas_, open, now_), placement_hash);
  SlowStart::placed(replicas_[home]);
  return home;
}

std::optional<Choice> Sticky::place_new(std::uint64_t placement_hash, const Binding* parent,
                                        bool fork) {
  if (parent != nullptr && takes_child(replicas_, replicas_.open_to_new(servers_),
                                       parent->lives_at(), fork, threshold_)) {
    return Choice{parent->lives_at(), Outcome::kPlaced, Reason::kNearParent};
  }
  const std::optional<ReplicaIndex> home =
      by_placement(placement_hash, replicas_.open_to_new(servers_));
  if (!home) return std::nullopt;
  return Choice{*home, Outcome::kPlaced, Reason::kNewConversation};
}

LeftHome Sticky::move_home(Binding& binding, ReplicaIndex to) {
  const LeftHome left{binding.home, binding.home_tokens, binding.home_cache, binding.last_moved};
  binding.home = to;
  binding.home_tokens = 0;
  binding.home_cache = replicas_[to].cache;
  binding.stand_in = kNoReplica;
  binding.last_overflow = kNoReplica;
  binding.last_moved = now_;
  binding.busy_streak = 0;
  return left;
}

std::optional<Choice> Sticky::next_turn(Binding& binding, std::uint64_t placement_hash) {
  const Replica& home = replicas_[binding.home];
  if (home.removed) {
    // The same server may have come back under a new index, its cache with it.
    if (const auto again = replicas_.find_label(home.spec.label)) {
      binding.home = *again;
      binding.home_cache = replicas_[*again].cache;
    }
  }
  if (serves(binding.home)) {
    if (binding.stand_in == kNoReplica) return from_home(binding, placement_hash, Reason::kHome);
    const bool returns =
        !serves(binding.stand_in) || returns_home(binding, replicas_[binding.home]);
    if (!returns) {
      binding.home = binding.stand_in;
      binding.home_tokens = binding.tokens;
      binding.home_cache = binding.stand_in_cache;
    }
    binding.stand_in = kNoReplica;
    return from_home(binding, placement_hash, returns ? Reason::kHomeBack : Reason::kHome);
  }
  const Replica& gone = replicas_[binding.home];
  const bool elsewhere = !replicas_.is_on(binding.home, servers_);
  if (gone.removed || elsewhere || gone.state == ReplicaState::kDraining) {
    return home_leaving(binding, placement_hash);
  }
  return home_down(binding, placement_hash);
}

std::optional<Choice> Sticky::from_home(Binding& binding, std::uint64_t placement_hash,
                                        Reason reason) {
  const Leaving leaving = leave_home(replicas_, servers_, binding, binding.home, placement_hash,
                                     threshold_, settings_, now_);
  switch (leaving.kind) {
    case Leaving::Kind::kStay:
      return Choice{binding.home, Outcome::kSticky, reason};
    case Leaving::Kind::kStayNoBetter:
      return Choice{binding.home, Outcome::kSticky, Reason::kHomeBusyNoBetter};
    case Leaving::Kind::kOverflow:
      binding.last_overflow = leaving.to;
      return Choice{leaving.to, Outcome::kOverflow, Reason::kHomeBusy};
    case Leaving::Kind::kMove:
      return Choice{leaving.to, Outcome::kMoved, Reason::kHomeStaysBusy,
                    move_home(binding, leaving.to)};
  }
  return std::nullopt;
}

std::optional<Choice> Sticky::home_down(Binding& binding, std::uint64_t placement_hash) {
  if (binding.stand_in == kNoReplica || !serves(binding.stand_in)) {
    const auto stand_in =
        by_placement(placement_hash, replicas_.open_to_new(servers_, binding.home));
    if (!stand_in) return std::nullopt;
    binding.stand_in = *stand_in;
    binding.stand_in_cache = replicas_[*stand_in].cache;
    return Choice{binding.stand_in, Outcome::kFailover, Reason::kHomeDown};
  }
  const Leaving leaving = leave_home(replicas_, servers_, binding, binding.stand_in, placement_hash,
                                     threshold_, settings_, now_);
  if (leaving.kind == Leaving::Kind::kOverflow) {
    binding.last_overflow = leaving.to;
    return Choice{leaving.to, Outcome::kOverflow, Reason::kHomeBusy};
  }
  return Choice{binding.stand_in, Outcome::kFailover, Reason::kHomeDown};
}

std::optional<Choice> Sticky::home_leaving(Binding& binding, std::uint64_t placement_hash) {
  std::optional<ReplicaIndex> to;
  if (binding.stand_in != kNoReplica && serves(binding.stand_in)) {
    to = binding.stand_in;
  } else {
    to = by_placement(placement_hash, replicas_.open_to_new(servers_, binding.home));
  }
  if (to) {
    move_home(binding, *to);
    return Choice{*to, Outcome::kMoved, Reason::kHomeDraining};
  }
  if (replicas_[binding.home].removed || !replicas_.is_on(binding.home, servers_)) {
    return std::nullopt;
  }
  return Choice{binding.home, Outcome::kSticky, Reason::kHomeDraining};
}

bool Sticky::takes_again(ReplicaIndex index, const Choice& failed) const {
  return serves(index) &&
         replicas_[index].spec.target.server != replicas_[failed.replica].spec.target.server;
}

std::optional<Choice> Sticky::after_failed_start(Binding& binding, const Choice& failed,
                                                 std::uint64_t placement_hash) {
  const std::uint32_t server = replicas_[failed.replica].spec.target.server;
  const ReplicaIndex lives_at = binding.lives_at();
  const LeftHome& left = failed.left;
  if (left.home != kNoReplica && binding.home == failed.replica && takes_again(left.home, failed)) {
    binding.home = left.home;
    binding.home_tokens = left.tokens;
    binding.home_cache = left.cache;
    binding.last_moved = left.last_moved;
    return Choice{left.home, Outcome::kSticky, Reason::kRetried};
  }
  if (failed.outcome == Outcome::kOverflow && takes_again(lives_at, failed)) {
    binding.last_overflow = kNoReplica;
    const bool home = lives_at == binding.home;
    return Choice{lives_at, home ? Outcome::kSticky : Outcome::kFailover, Reason::kRetried};
  }
  const auto other =
      by_placement(placement_hash, replicas_.open_on_other_servers(servers_, server));
  if (!other) return std::nullopt;
  switch (failed.outcome) {
    case Outcome::kPlaced:
    case Outcome::kMoved:
      move_home(binding, *other);
      return Choice{*other, failed.outcome, Reason::kRetried};
    default:
      binding.stand_in = *other;
      binding.stand_in_cache = replicas_[*other].cache;
      return Choice{*other, Outcome::kFailover, Reason::kRetried};
  }
}

}  // namespace berth::routing
