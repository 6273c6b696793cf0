// What Berth reads out of a request body, in one pass, without copying or keeping any of the prompt.
//
// Pure; one simdjson parser a thread. Duplicate keys: the last one wins, as in Python's json.loads, which is
// what vLLM uses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inspect/api.h"

namespace berth::inspect {

// simdjson reads up to this many bytes past the end of the body.
inline constexpr std::size_t kPadding = 64;

// A byte range of the body.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct BodyFacts {
  std::string model;
  std::optional<Range> model_value;      // the JSON string with its quotes, for the alias edit
  bool stream = false;
  // stream_options.include_usage: absent, or its value.
  std::optional<bool> include_usage;
  std::optional<Range> stream_options;   // the object's value, when it is an object
  std::size_t object_begin = 0;          // offset just after the root '{': where a member can be spliced in
  bool object_empty = false;
  std::optional<std::uint64_t> max_tokens;  // max_tokens, max_completion_tokens or max_output_tokens
  std::string prompt_cache_key;
  std::string metadata_session;          // from metadata.user_id, either form
  bool has_cache_salt = false;
  bool has_previous_response = false;    // previous_response_id or conversation
  std::size_t messages = 0;
  std::size_t tools = 0;
  // chain[i] = hash over the canonical text of system and of messages 0..i. Canonical: the billing block,
  // cache_control and system turns inside the messages are dropped; a string and a block list of the same
  // text are equal. Empty when the body has no history.
  std::vector<std::uint64_t> chain;
  // Title generation or a one-token probe, by the body's content (docs/identity.md lists the marks).
  bool looks_like_side_request = false;
};

// `body` must have kPadding readable bytes after its end. kBadJson names the offending field.
Result<BodyFacts> read_body_facts(const Endpoint& endpoint, std::string_view body);

}  // namespace berth::inspect
