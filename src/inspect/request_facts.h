// What Berth reads out of a request body, in one pass, without copying or keeping any of the
// prompt.
//
// Pure; one simdjson parser a thread. Duplicate keys: the last one wins, as in Python's json.loads,
// which is what vLLM uses.
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

// Longest model name; longer session keys count as absent.
inline constexpr std::size_t kMaxTextBytes = 1024;

// A byte range of the body.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct BodyFacts {
  std::string model;                 // empty: absent or null
  std::optional<Range> model_value;  // its value as it stands (a string with its quotes, or null)
  bool stream = false;
  // stream_options, chat and completions only. When the member is twice there, the last one.
  std::optional<bool> include_usage;  // absent or null, or its value
  std::optional<Range> include_usage_value;
  bool continuous_usage = false;  // continuous_usage_stats, a vLLM extension: usage in every chunk
  std::optional<Range> stream_options;       // the value, when it is an object
  std::optional<Range> stream_options_null;  // the value, when it is null
  std::size_t object_begin = 0;  // offset just after the root '{': where a member can be spliced in
  bool object_empty = false;
  std::optional<std::uint64_t>
      max_tokens;                         // max_tokens, max_completion_tokens or max_output_tokens
  std::string prompt_cache_key;           // empty when absent, not text, or over kMaxTextBytes
  std::string metadata_session;           // from metadata.user_id, either form; likewise
  bool has_cache_salt = false;            // present and not null
  std::optional<Range> cache_salt_value;  // its value as it stands, null too
  bool has_previous_response = false;     // previous_response_id or conversation, not null
  std::size_t messages = 0;               // items in messages or input, whatever they are
  std::size_t tools = 0;
  // chain[i] = hash over the canonical text of system and of messages 0..i, those dropped not
  // counted: canonical_history.h says what is dropped. Empty when the body has no history.
  std::vector<std::uint64_t> chain;
  // Title generation or a one-token probe, by the body's content (side_requests.h lists the marks).
  bool looks_like_side_request = false;
};

// Reads what the endpoint needs. `body` must have kPadding readable bytes after its end; a UTF-8
// byte order mark before the root is fine, as it is for vLLM. kBadJson: the root is no object, is
// cut off, or is followed by more; the body is not UTF-8; `model`, `stream` or `stream_options` has
// another type than vLLM takes. Any other member of an unexpected type counts as absent: judging it
// is the engine's business, as is what stands inside skipped values.
Result<BodyFacts> read_body_facts(const Endpoint& endpoint, std::string_view body);

}  // namespace berth::inspect
