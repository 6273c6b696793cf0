// What an engine said of a request's tokens, as far as it can be true.
//
// A count no request can have is a broken engine's, and would spoil the totals for the life of the
// process: it is taken as not told.
#pragma once

#include "inspect/response_tap.h"
#include "routing/types.h"

namespace berth::gateway {

// No request has more tokens than this.
inline constexpr std::uint64_t kMostTokens = 1ull << 32;

// Each count up to kMostTokens; the cached ones only where they are a part of the prompt's.
routing::Usage credible_usage(const inspect::TapResult& told);

}  // namespace berth::gateway
