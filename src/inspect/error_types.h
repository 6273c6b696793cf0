// The APIs' own names for the kind of an error, by its status.
#pragma once

#include <string_view>

#include "inspect/api.h"

namespace berth::inspect {

// Anthropic's names (platform.claude.com, docs, API errors); for the OpenAI APIs the same words
// where OpenAI has none of its own, so that one list serves both.
std::string_view error_type(ApiShape shape, int status);

// True for a status that says: the same request again will fail again.
bool is_final(int status);

}  // namespace berth::inspect
