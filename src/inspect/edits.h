// The closed list of edits Berth makes to a request body, each one splice of bytes, never a re-print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inspect/request_facts.h"

namespace berth::inspect {

// Replace body[at.begin, at.end) with `text`.
struct Splice {
  Range at;
  std::string text;
};

Splice splice_model(const BodyFacts& facts, std::string_view new_model);
// Adds stream_options.include_usage = true; only for streaming chat and completions that lack it.
Splice splice_include_usage(const BodyFacts& facts, std::string_view body);
Splice splice_cache_salt(const BodyFacts& facts, std::string_view salt);

// Applies splices (any order, not overlapping) and keeps kPadding spare bytes.
std::string apply(std::string_view body, std::vector<Splice> splices);

}  // namespace berth::inspect
