// The token counts of a `usage` object, in any of the APIs' spellings.
//
// OpenAI chat and completions: prompt_tokens, completion_tokens,
// prompt_tokens_details.cached_tokens. OpenAI responses: input_tokens, output_tokens,
// input_tokens_details.cached_tokens. Anthropic: input_tokens without the cached ones,
// cache_read_input_tokens, cache_creation_input_tokens, output_tokens. vLLM fills the cache members
// since pull request 40912; before it input_tokens is the whole prompt and the members are missing,
// so the sum below holds for both.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/json_parse.h"
#include "inspect/response_tap.h"

namespace berth::inspect {

// A member that is missing, null or no number is unknown, never 0.
struct UsageCounts {
  std::optional<std::uint64_t> input;  // prompt_tokens or input_tokens
  std::optional<std::uint64_t> output;
  std::optional<std::uint64_t> cached;         // the part of `input` that was cached
  std::optional<std::uint64_t> cache_read;     // cached tokens beside `input`
  std::optional<std::uint64_t> cache_created;  // written to the cache, beside `input`

  // Takes over what `later` knows: the last word wins.
  void update(const UsageCounts& later);
  // Sets the members of `result` that are known. A prompt of no tokens is none: some servers open a
  // stream with input_tokens 0 and tell the count at its end (sgl-project/sglang#20678).
  void tell(TapResult& result) const;
};

JsonError read_usage(JsonValue value, UsageCounts& counts);

}  // namespace berth::inspect
