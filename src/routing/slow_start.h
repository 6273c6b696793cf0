// Slow start: a fresh replica takes new conversations gradually.
//
// A replica that joins, or comes back from down, has no resident and nothing in flight, so
// placement would send it every new conversation, cold, at once. For Settings::slow_start it takes
// only a share of them, which grows linearly from its fair share (1 / replicas) to all; its own
// conversations are never held back. The shape is Envoy's slow start mode (linear ramp with a
// minimum weight); the share is counted, not drawn, so that equal inputs give equal decisions.
#pragma once

#include <vector>

#include "base/clock.h"
#include "routing/replica_set.h"

namespace berth::routing {

class SlowStart {
 public:
  explicit SlowStart(Duration window) : window_(window) {}
  void set_window(Duration window) { window_ = window; }

  void begin(Replica& replica, Instant now) const;

  // `candidates` without the fresh replicas whose share is used up; all of them when that leaves
  // none. Call once per placement: it credits the shares.
  std::vector<ReplicaIndex> admit(ReplicaSet& replicas, const std::vector<ReplicaIndex>& candidates,
                                  Instant now) const;
  // The conversation went there.
  static void placed(Replica& replica);

 private:
  bool fresh(Replica& replica, Instant now) const;

  Duration window_;
};

}  // namespace berth::routing
