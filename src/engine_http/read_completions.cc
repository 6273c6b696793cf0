// OpenAI's completions: a prompt of text or of token ids, no chat template.
#include <utility>

#include "engine_http/read_fields.h"

namespace berth::engine_http {
namespace {

ApiResult<void> read_prompt(const Json* prompt, GenerateRequest& request) {
  if (prompt == nullptr) return invalid_field("missing", "prompt", "Field required");
  // A batch of one is that one.
  if (prompt->is_array() && prompt->size() == 1 && !prompt->front().is_number()) {
    prompt = &prompt->front();
  }
  if (prompt->is_string()) {
    const auto& text = prompt->get_ref<const std::string&>();
    append_text(request.prompt, text);
    request.conversation.turns.push_back({.role = Role::kUser, .text = text, .calls = {}});
    return {};
  }
  if (prompt->is_array() && !prompt->empty() && prompt->front().is_number()) {
    for (const Json& token : *prompt) {
      if (!token.is_number_unsigned() || token.get<std::uint64_t>() > ~Token{0}) {
        return invalid_field("int_type", "prompt", "Input should be a list of token ids");
      }
      request.prompt.push_back(token.get<Token>());
    }
    return {};
  }
  return bad_request("This simulated engine takes one prompt a request, as text or token ids.",
                     "prompt");
}

}  // namespace

ApiResult<GenerateRequest> read_completions(const Json& body) {
  // vLLM's default when a completion names no limit.
  constexpr std::uint64_t kDefaultMaxTokens = 16;
  GenerateRequest request;
  request.api = Api::kCompletions;
  request.model = string_member(body, "model");
  if (auto read = read_prompt(member(body, "prompt"), request); !read) {
    return tl::unexpected<ApiError>(std::move(read.error()));
  }
  const auto max_tokens = read_count(body, "max_tokens");
  if (!max_tokens) return tl::unexpected<ApiError>(max_tokens.error());
  request.max_tokens = max_tokens->value_or(kDefaultMaxTokens);
  if (auto read = read_stream(body, request); !read) {
    return tl::unexpected<ApiError>(std::move(read.error()));
  }
  if (auto read = read_openai_options(body, request); !read) {
    return tl::unexpected<ApiError>(std::move(read.error()));
  }
  return request;
}

}  // namespace berth::engine_http
