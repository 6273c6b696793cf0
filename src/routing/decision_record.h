// One decision in a conversation's history, with the numbers it saw.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "routing/types.h"

namespace berth::routing {

struct DecisionRecord {
  Instant at{};
  Outcome outcome = Outcome::kUnbound;
  Reason reason = Reason::kNoIdentity;
  std::optional<ReplicaIndex> replica;
  std::vector<ReplicaView>
      seen;  // before the request went there; at most kMaxSeen, the chosen one always
  static constexpr std::size_t kMaxSeen = 16;
};

}  // namespace berth::routing
