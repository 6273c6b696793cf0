// Requests a client sends beside its conversation, told by their content: titles, summaries,
// probes. They share the conversation's session id but not its prefix, so they must not bind or
// move anything.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/canonical_history.h"

namespace berth::inspect {

struct SideRequestHints {
  std::optional<std::uint64_t> max_tokens;
  std::size_t tools = 0;
};

// The marks are a table in side_requests.cc, each with its source.
bool looks_like_side_request(const Opening& opening, const SideRequestHints& hints);

}  // namespace berth::inspect
