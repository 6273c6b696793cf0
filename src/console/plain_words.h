// The closed sets of routing in plain English, for pages and the command line.
#pragma once

#include <string_view>

#include "routing/types.h"

namespace berth::console {

// Why a decision was made; completes "because ...": "its home was free enough".
std::string_view reason_words(routing::Reason reason);

// How a conversation was recognised: "Claude Code's session header".
std::string_view identity_words(routing::IdentitySource source);

}  // namespace berth::console
