// A request to generate, read from the body of any of the four APIs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine_http/api_error.h"
#include "engine_http/conversation.h"
#include "engine_http/json.h"

namespace berth::engine_http {

enum class Api : std::uint8_t { kMessages, kChat, kCompletions, kResponses };

struct GenerateRequest {
  Api api = Api::kChat;
  std::string model;  // empty: the server's own (not on /v1/messages)
  Conversation conversation;
  std::vector<Token> prompt;
  std::optional<std::uint64_t> max_tokens;
  bool stream = false;
  bool include_usage = false;     // a last chunk with the usage
  bool continuous_usage = false;  // and one in every chunk
  bool ignore_eos = false;        // generate max_tokens, no less
  std::string cache_salt;
  std::string request_id;  // chat and completions
  Json echo;               // responses: the members that come back in the response object
};

// Each reads its API's body as vLLM does: tolerant of unknown members, strict about those it needs.
ApiResult<GenerateRequest> read_messages(const Json& body);
ApiResult<GenerateRequest> read_chat(const Json& body);
ApiResult<GenerateRequest> read_completions(const Json& body);
ApiResult<GenerateRequest> read_responses(const Json& body);

// The conversation of a body with "messages" as on /v1/messages (count_tokens) and on
// /v1/chat/completions (tokenize).
ApiResult<Conversation> read_messages_conversation(const Json& body);
ApiResult<Conversation> read_chat_conversation(const Json& body);

}  // namespace berth::engine_http
