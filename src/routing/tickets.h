// Open requests: from the decision until on_finished or on_gone.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "routing/binding.h"
#include "routing/types.h"

namespace berth::routing {

struct OpenTicket {
  Binding* binding = nullptr;         // null: bound to nothing, or forgotten meanwhile
  ReplicaIndex replica = kNoReplica;  // kNoReplica: sent to the server without a rank
  std::uint32_t server = 0;
  bool any_rank = false;  // the server was chosen, not a rank of it
  Outcome outcome = Outcome::kUnbound;
  Reason reason = Reason::kNoIdentity;
  RequestKind kind = RequestKind::kTurn;
  bool with_tools = false;
  bool first_byte = false;
  bool retried = false;
  std::uint64_t body_bytes = 0;
  std::uint64_t placement_hash = 0;
  Servers servers;  // that may take it
  LeftHome left;    // by a move
};

// Tickets are never reused, so a late or doubled call finds nothing. Found by number only, never
// walked to decide anything.
using Tickets = std::unordered_map<Ticket, OpenTicket>;

}  // namespace berth::routing
