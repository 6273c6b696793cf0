// Steps every handler shares: reading the body, and answering with JSON or with an error of the
// right shape.
#pragma once

#include <optional>
#include <string>

#include "engine_http/api_error.h"
#include "engine_http/engine_core.h"
#include "engine_http/json.h"
#include "http/server.h"
#include "net/types.h"

namespace berth::engine_http {

inline constexpr std::string_view kJsonType = "application/json";

enum class ErrorShape : std::uint8_t { kOpenAi, kAnthropic };

// The body as JSON: an object, sent as application/json. Errors as vLLM's validation.
ApiResult<Json> read_body(const Call& call);
// 404 unless the name is one that is served; an empty name is the server's own.
ApiResult<void> check_model(const Call& call, const std::string& model);

net::Task<void> answer_json(Call& call, int status, std::string body);
// Validation errors have OpenAI's shape on every API, as vLLM's global handler writes them.
net::Task<void> answer_error(Call& call, ErrorShape shape, ApiError error,
                             http::Responder::ExtraHeaders extra = {});

}  // namespace berth::engine_http
