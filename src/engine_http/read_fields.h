// Pieces that the readers of the four APIs share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine_http/generate_request.h"

namespace berth::engine_http {

// The text of a string or of a list of parts; parts are joined with a newline, as vLLM does for
// templates that take text only. Parts of types "text", "input_text", "output_text" count; an image
// stands as its hash.
std::string text_of(const Json* content);
// Stands for an image in the prompt: equal pictures are equal text.
std::string image_text(std::string_view url);
// Arguments as they enter a prompt: canonical where the text is JSON.
std::string canonical_arguments(std::string_view text);

// A whole number above 0, or nothing if absent. Errors name the field.
ApiResult<std::optional<std::uint64_t>> read_count(const Json& body, std::string_view field);
// stream and stream_options.
ApiResult<void> read_stream(const Json& body, GenerateRequest& request);
// n, cache_salt, ignore_eos, request_id.
ApiResult<void> read_openai_options(const Json& body, GenerateRequest& request);

}  // namespace berth::engine_http
