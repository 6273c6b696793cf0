// Whose turn is this? The identity rules: an ordered, configurable list of places a client may name
// its session in; the first that holds a usable value wins. Content-derived identity (the last
// resort) needs the chain index of the model's router and is resolved there: see chain_index.h.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routing/types.h"

namespace berth::routing {

// Longest session or agent id that is believed; a longer one is treated as absent.
inline constexpr std::size_t kMaxIdBytes = 255;

// Hash of a message history up to and including one message: see inspect/request_facts.h for what
// goes in.
using ChainHash = std::uint64_t;

// Everything the rules may look at, already taken out of the request.
struct IdentityInputs {
  // Returns the value of the first header of that name (case-insensitive), or empty.
  std::function<std::string_view(std::string_view name)> header;
  std::string_view prompt_cache_key;  // body, empty when absent
  std::string_view metadata_session;  // body metadata.user_id, session part, either form
  std::vector<ChainHash> chain;  // one per message: system and messages 1..i; empty when unreadable
  bool looks_like_side_request = false;  // by body: title prompt, one-token probe
};

struct IdentityRules {
  std::vector<IdentitySource> order;  // which sources, in which order
  std::vector<std::string>
      operator_headers;  // names for IdentitySource::kOperatorHeader, lower case
  static IdentityRules defaults();
  // May the chain decide when nothing else does? False when an operator left kContent out of the
  // order.
  bool by_content() const;
};

struct Identity {
  IdentitySource source = IdentitySource::kNone;
  std::string session;
  std::string agent;           // empty: the main conversation
  std::string parent_session;  // empty: no parent named
  std::string parent_agent;
  bool fork = false;  // starts as a copy of the parent's history
  RequestKind kind = RequestKind::kTurn;
  bool declared_turn = false;  // the client itself says so, whatever the body looks like
};

// The identity the headers and the body name; source kNone when none does (then the chain decides).
Identity identify(const IdentityInputs& inputs, const IdentityRules& rules);

}  // namespace berth::routing
