#include <fmt/format.h>

#include "base/check.h"
#include "inspect/json_text.h"
#include "inspect/replies.h"

namespace berth::inspect {
namespace {

// Anthropic's names, from platform.claude.com docs api/errors.
std::string_view anthropic_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 408:
    case 504:
      return "timeout_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 503:
    case 529:
      return "overloaded_error";
    default:
      return status < 500 ? "invalid_request_error" : "api_error";
  }
}

std::string_view openai_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    case 408:
    case 504:
      return "timeout_error";
    case 503:
    case 529:
      return "overloaded_error";
    default:
      return status < 500 ? "invalid_request_error" : "server_error";
  }
}

}  // namespace

std::string error_body(ApiShape shape, int status, std::string_view code,
                       std::string_view message) {
  if (shape == ApiShape::kAnthropic) {
    return fmt::format(R"({{"type":"error","error":{{"type":"{}","message":{},"code":{}}}}})",
                       anthropic_type(status), json_string(message), json_string(code));
  }
  return fmt::format(R"({{"error":{{"message":{},"type":"{}","param":null,"code":{}}}}})",
                     json_string(message), openai_type(status), json_string(code));
}

int http_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadRequest:
    case ErrorCode::kBadJson:
    case ErrorCode::kUnsupported:
      return 400;
    case ErrorCode::kUnauthorized:
      return 401;
    case ErrorCode::kNotFound:
    case ErrorCode::kUnknownModel:
      return 404;
    case ErrorCode::kMethodNotAllowed:
      return 405;
    case ErrorCode::kRequestTimeout:
      return 408;
    case ErrorCode::kBodyTooLarge:
      return 413;
    case ErrorCode::kHeadTooLarge:
      return 431;
    case ErrorCode::kClientGone:
      return 499;
    case ErrorCode::kConfig:
    case ErrorCode::kIo:
    case ErrorCode::kInternal:
      return 500;
    case ErrorCode::kConnectFailed:
    case ErrorCode::kUpstreamReset:
    case ErrorCode::kUpstreamBadResponse:
    case ErrorCode::kTlsFailed:
      return 502;
    case ErrorCode::kNoReplica:
    case ErrorCode::kOverloaded:
    case ErrorCode::kDraining:
      return 503;
    case ErrorCode::kConnectTimeout:
    case ErrorCode::kUpstreamTimeout:
      return 504;
  }
  BERTH_CHECK(false && "unknown error code");
  return 500;
}

}  // namespace berth::inspect
