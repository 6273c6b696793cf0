// Errors in vLLM's own shapes and words.
//
// Sources: vllm/entrypoints/openai/engine/protocol.py (ErrorResponse), entrypoints/utils.py
// (create_error_response), anthropic/api_router.py (translate_error_response),
// openai/server_utils.py.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace berth::engine_http {

struct ApiError {
  int status = 400;
  std::string type;  // "BadRequestError", "NotFoundError", ...
  std::string message;
  std::string param;             // null when empty
  bool from_validation = false;  // always in OpenAI's shape, also on /v1/messages
};

template <typename T>
using ApiResult = tl::expected<T, ApiError>;

// A well-formed request that cannot be served: 400 BadRequestError.
tl::unexpected<ApiError> bad_request(std::string message, std::string param = {});
// A body that the endpoint's model does not accept: 400 "Bad Request" with pydantic's wording.
// `kind` is pydantic's error type ("missing", "string_type"), `field` a dotted path
// ("messages.0.role").
tl::unexpected<ApiError> invalid_field(std::string_view kind, std::string_view field,
                                       std::string_view message);
tl::unexpected<ApiError> unknown_model(std::string_view model);

// {"error":{"message","type","param","code"}}
std::string openai_error_body(const ApiError& error);
// {"type":"error","error":{"type","message"}}
std::string anthropic_error_body(const ApiError& error);

}  // namespace berth::engine_http
