// The closed list of edits Berth makes to a request body, each one splice of bytes, never a
// re-print.
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

// Each replaces the member that counts (the last of equal names), or puts one first when there is
// none.
Splice splice_model(const BodyFacts& facts, std::string_view new_model);

// True for a streaming chat or completions request that will bring no usage chunk: include_usage is
// absent, null or false. A false is overruled too; the chunk is taken out again either way
// (UsageChunkFilter). Never with continuous_usage_stats, which include_usage would switch on in
// every chunk.
bool lacks_usage_chunk(const Endpoint& endpoint, const BodyFacts& facts);
// Makes stream_options.include_usage true, whatever of it is there. Other stream options stay.
// `body` is what the facts were read from.
Splice splice_include_usage(const BodyFacts& facts, std::string_view body);

Splice splice_cache_salt(const BodyFacts& facts, std::string_view salt);

// Applies splices (any order, not overlapping) and keeps kPadding spare bytes.
std::string apply(std::string_view body, std::vector<Splice> splices);

}  // namespace berth::inspect
