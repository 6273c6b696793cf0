// Recorded traffic, read from files: conversations with the sizes of their turns, how much of each
// prompt repeats the one before, and the pauses between. No text.
//
// All readers check every row. An error (kConfig) names the file, the line or the place in it, and
// the field; kIo the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/plan.h"

namespace berth::sim {

using Conversations = std::vector<ConversationPlan>;

// Rows of real Claude Code sessions as derived from callanjfox/kv-cache-tester: one a request, in
// order within (session, stream). Columns are found by the names of the first line:
//   session, stream      together one conversation
//   idx                  position in it, rising
//   in_tokens, out_tokens
//   prefix_blocks_prev   leading blocks of 64 tokens that equal the previous request's
//   think_s              the client's pause before this request; where empty, t_s less the previous
//                        request's t_s and api_s
// Others are ignored. `path` is the file, or a folder with requests.csv in it.
Result<Conversations> read_claude_code_csv(const std::string& path);

// callanjfox/kv-cache-tester's own files: a JSON object a conversation with `block_size` and
// `requests`, each with `in`, `out`, `hash_ids` and `think_time` (or, in older files, `t` alone). A
// request of type "n" that repeats the one before is the same turn sent again without streaming and
// is left out. Entries of type "subagent" with requests of their own run side by side before the
// next request, which waits for all. `path` is a file, or a folder of *.json.
Result<Conversations> read_kv_cache_tester(const std::string& path);

// Mooncake's JSON lines: `timestamp`, `input_length`, `output_length`, `hash_ids`, one global id
// for each 512 tokens of the prompt. A request names no session, so each is a conversation of its
// own, in the file's order, and what it shares with others is in its ids.
Result<Conversations> read_mooncake(const std::string& path);

}  // namespace berth::sim
