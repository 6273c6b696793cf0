// Counting and translating tokens: nothing of this reaches the model.
//
// Source: vllm/entrypoints/serve/tokenize, anthropic/serving.py (count_tokens).
#include <utility>

#include "engine_http/answer.h"
#include "engine_http/generate_request.h"
#include "engine_http/handlers.h"

namespace berth::engine_http {
namespace {

ApiResult<std::string> count(const Call& call) {
  const ApiResult<Json> body = read_body(call);
  if (!body) return tl::unexpected<ApiError>(body.error());
  const std::string model = string_member(*body, "model");
  if (model.empty()) return invalid_field("missing", "model", "Field required");
  if (const auto known = check_model(call, model); !known) {
    return tl::unexpected<ApiError>(known.error());
  }
  const auto conversation = read_messages_conversation(*body);
  if (!conversation) return tl::unexpected<ApiError>(conversation.error());
  return dump({{"input_tokens", render_prompt(*conversation).size()}});
}

ApiResult<std::string> tokenize(const Call& call) {
  const ApiResult<Json> body = read_body(call);
  if (!body) return tl::unexpected<ApiError>(body.error());
  if (const auto known = check_model(call, string_member(*body, "model")); !known) {
    return tl::unexpected<ApiError>(known.error());
  }
  std::vector<Token> tokens;
  if (member(*body, "messages") != nullptr) {
    const auto conversation = read_chat_conversation(*body);
    if (!conversation) return tl::unexpected<ApiError>(conversation.error());
    tokens = render_prompt(*conversation);
  } else if (const Json* prompt = member(*body, "prompt");
             prompt != nullptr && prompt->is_string()) {
    append_text(tokens, prompt->get_ref<const std::string&>());
  } else {
    return invalid_field("missing", "prompt", "Field required");
  }
  OrderedJson out;
  out["count"] = tokens.size();
  out["max_model_len"] = call.core->max_model_len();
  out["tokens"] = std::move(tokens);
  out["token_strs"] = nullptr;
  return dump(out);
}

ApiResult<std::string> detokenize(const Call& call) {
  const ApiResult<Json> body = read_body(call);
  if (!body) return tl::unexpected<ApiError>(body.error());
  const Json* given = member(*body, "tokens");
  if (given == nullptr || !given->is_array()) {
    return invalid_field("missing", "tokens", "Field required");
  }
  std::vector<Token> tokens;
  for (const Json& token : *given) {
    if (!token.is_number_unsigned() || token.get<std::uint64_t>() > ~Token{0}) {
      return invalid_field("int_type", "tokens", "Input should be a list of token ids");
    }
    tokens.push_back(token.get<Token>());
  }
  return dump({{"prompt", detokenise(tokens)}});
}

net::Task<void> answer(Call& call, ErrorShape shape, ApiResult<std::string> body) {
  if (body) {
    co_await answer_json(call, 200, std::move(*body));
  } else {
    co_await answer_error(call, shape, std::move(body.error()));
  }
}

}  // namespace

net::Task<void> handle_count_tokens(Call& call) {
  co_await answer(call, ErrorShape::kAnthropic, count(call));
}
net::Task<void> handle_tokenize(Call& call) {
  co_await answer(call, ErrorShape::kOpenAi, tokenize(call));
}
net::Task<void> handle_detokenize(Call& call) {
  co_await answer(call, ErrorShape::kOpenAi, detokenize(call));
}

}  // namespace berth::engine_http
