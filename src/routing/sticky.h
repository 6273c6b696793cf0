// The product's policy: every conversation has a home; this decides where its next turn goes.
//
//   new conversation   beside its parent (near_parent.h), else by placement (placement.h,
//   slow_start.h) home serves        home, unless it is past the threshold (leaving_home.h) home is
//   down       a stand-in, chosen by placement and kept until home is back (failover.h) home is
//   draining   or gone: a new home, by placement; at the stand-in if there is one. A draining home
//                      without alternative still serves its own conversations
// A suspect home still serves its conversations: it is probably busy, and their cache is there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "routing/binding.h"
#include "routing/replica_set.h"
#include "routing/settings.h"
#include "routing/slow_start.h"
#include "routing/types.h"

namespace berth::routing {

// Where one request goes and why.
struct Choice {
  Choice() = default;
  Choice(ReplicaIndex to, Outcome how, Reason why, LeftHome from = {})
      : replica(to), outcome(how), reason(why), left(from) {}

  ReplicaIndex replica = kNoReplica;
  Outcome outcome = Outcome::kUnbound;
  Reason reason = Reason::kNoIdentity;
  LeftHome left;  // kMoved from a home that serves
};

// A view of the router's parts for one decision; holds no state of its own.
class Sticky {
 public:
  Sticky(ReplicaSet& replicas, const SlowStart& slow_start, const Settings& settings,
         std::uint32_t threshold, const Servers& servers, Instant now)
      : replicas_(replicas),
        slow_start_(slow_start),
        settings_(settings),
        threshold_(threshold),
        servers_(servers),
        now_(now) {}

  // The home of a new conversation; none when no replica takes one. `parent` may be null.
  std::optional<Choice> place_new(std::uint64_t placement_hash, const Binding* parent, bool fork);

  // Where a bound conversation's turn goes; none when nothing can serve it. Changes home and
  // stand-in of the binding as decided; the caller settles it.
  std::optional<Choice> next_turn(Binding& binding, std::uint64_t placement_hash);

  // The first choice did not start the request: where next. What a busy home sent away (overflow,
  // move) goes back to it: its cache is there. None when no other server can: the ranks of one
  // server stand behind the same port.
  std::optional<Choice> after_failed_start(Binding& binding, const Choice& failed,
                                           std::uint64_t placement_hash);

 private:
  std::optional<ReplicaIndex> by_placement(std::uint64_t placement_hash,
                                           const std::vector<ReplicaIndex>& open);
  std::optional<Choice> from_home(Binding& binding, std::uint64_t placement_hash, Reason reason);
  std::optional<Choice> home_down(Binding& binding, std::uint64_t placement_hash);
  std::optional<Choice> home_leaving(Binding& binding, std::uint64_t placement_hash);
  LeftHome move_home(Binding& binding, ReplicaIndex to);
  bool takes_again(ReplicaIndex index, const Choice& failed) const;
  bool serves(ReplicaIndex index) const { return replicas_.serves(index, servers_); }

  ReplicaSet& replicas_;
  const SlowStart& slow_start_;
  const Settings& settings_;
  std::uint32_t threshold_;
  const Servers& servers_;  // that may take the request; a home elsewhere is as good as gone
  Instant now_;
};

}  // namespace berth::routing
