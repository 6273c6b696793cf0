#include "engine_http/answer.h"

#include <fmt/format.h>

#include <utility>

#include "engine_http/watched_responder.h"
#include "http/head.h"

namespace berth::engine_http {

ApiResult<Json> read_body(const Call& call) {
  std::string_view type = call.request->head->headers.get("content-type");
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  if (!http::iequals(type, kJsonType)) {
    return tl::unexpected<ApiError>(
        ApiError{400, "Bad Request",
                 "[\"Unsupported Media Type: Only 'application/json' is allowed\"]", "", true});
  }
  std::optional<Json> body = parse_json(call.request->body);
  if (!body) return invalid_field("json_invalid", "", "JSON decode error");
  if (!body->is_object()) {
    return invalid_field("model_attributes_type", "",
                         "Input should be a valid dictionary or object to extract fields from");
  }
  return std::move(*body);
}

ApiResult<void> check_model(const Call& call, const std::string& model) {
  if (model.empty() || call.core->serves(model)) return {};
  return unknown_model(model);
}

net::Task<void> answer_json(Call& call, int status, std::string body) {
  co_await call.responder->reply(status, std::string(kJsonType), std::move(body));
}

net::Task<void> answer_error(Call& call, ErrorShape shape, ApiError error,
                             http::Responder::ExtraHeaders extra) {
  const bool anthropic = shape == ErrorShape::kAnthropic && !error.from_validation;
  std::string body = anthropic ? anthropic_error_body(error) : openai_error_body(error);
  co_await call.responder->reply(error.status, std::string(kJsonType), std::move(body),
                                 std::move(extra));
}

}  // namespace berth::engine_http
