// When a turn does not go home although home is there: overflow (this turn elsewhere, home kept)
// and move (home changes).
//
// Overflow: the requests in flight at home before this one exceed the threshold, and a replica that
// is up has fewer. It takes the one with the fewest; among equals the one that served this
// conversation's last overflow, which still holds most of its prefix. If no other has fewer,
// waiting elsewhere is no shorter and the cache is at home: the turn stays.
//
// Move: only when all of these agree, because a move of a long conversation doubles its prefill and
// feeds the overload it flees (the trace replay behind vllm-project/router's sticky_table branch;
// verl#6533: a bare gate of 4 in flight gave 9.2K re-prefills and was 18-20 % slower, worst when
// the least loaded neared zero):
//   gap      home has move_gap = 8 more in flight than the other, and
//   ratio    move_ratio = 2 times as many (both from the sticky_table branch);
//   cost     the context is at most move_max_tokens = 32,768. The branch caps the body at 32 KiB,
//   about 8k
//            tokens; its replicas were not limited by a threshold first. Reading 32k tokens again
//            takes a few seconds on the cards Berth is meant for, less than one wait behind eight
//            requests;
//   hysteresis  home was past the threshold for move_after_overflows = 3 turns of this conversation
//   in a row
//            (an agent's step takes 11.5 s on average in TraceLab, arXiv 2606.30560, so half a
//            minute: not a burst), and it has not moved for move_cooldown = 2 minutes.
// With fewer than nine in flight at home a move never happens; overflow carries short peaks.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "routing/binding.h"
#include "routing/replica_set.h"
#include "routing/settings.h"

namespace berth::routing {

struct Leaving {
  enum class Kind : std::uint8_t { kStay, kStayNoBetter, kOverflow, kMove };
  Kind kind = Kind::kStay;
  ReplicaIndex to = kNoReplica;  // for overflow and move
};

// `from` is the replica the turn would go to: home, or the stand-in of a home that is down (then it
// never moves). Counts the turn into binding.busy_streak. O(replicas).
Leaving leave_home(const ReplicaSet& replicas, const Servers& servers, Binding& binding,
                   ReplicaIndex from, std::uint64_t placement_hash, std::uint32_t threshold,
                   const Settings& settings, Instant now);

}  // namespace berth::routing
