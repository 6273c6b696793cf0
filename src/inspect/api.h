// The endpoints Berth serves, and what each means for routing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::inspect {

// Which wire format errors, keep-alives and usage have.
enum class ApiShape : std::uint8_t {
  kAnthropic,
  kOpenAiChat,
  kOpenAiCompletions,
  kOpenAiResponses,
  kOpenAiOther
};
std::string_view api_shape_name(ApiShape shape);

struct Endpoint {
  std::string_view path;
  ApiShape shape;
  bool has_conversation;  // messages, chat, completions, responses
  bool rank_blind;        // vLLM ignores X-data-parallel-rank here
  bool side;              // count_tokens: near the conversation, binds nothing
};

// The POST endpoint of that path (query excluded), or nothing: refused by default.
const Endpoint* find_endpoint(std::string_view path);

}  // namespace berth::inspect
