// Requests a client sends beside its conversation, told by their content: titles, labels,
// classifiers, probes. They carry the conversation's session id but not its prefix, so they must
// not bind or move anything.
//
// Side work that repeats the conversation as it is and only adds an instruction (prompt
// suggestions, away summaries, compaction) is not meant: it wants the conversation's home, and gets
// it as an ordinary turn. A mark nobody knows yet costs little: its request is routed as a turn.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/canonical_history.h"

namespace berth::inspect {

struct SideRequestHints {
  std::optional<std::uint64_t> max_tokens;
  std::size_t tools = 0;
};

// The marks are tables in side_requests.cc, each with its source.
bool looks_like_side_request(const Opening& opening, const SideRequestHints& hints);

}  // namespace berth::inspect
