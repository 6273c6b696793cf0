#include <fmt/format.h>

#include "base/check.h"
#include "inspect/error_types.h"
#include "inspect/json_text.h"
#include "inspect/replies.h"

namespace berth::inspect {
std::string error_body(ApiShape shape, int status, std::string_view code, std::string_view message,
                       std::string_view request_id) {
  const std::string_view type = error_type(shape, status);
  if (shape != ApiShape::kAnthropic) {
    return fmt::format(R"({{"error":{{"message":{},"type":"{}","param":null,"code":{}}}}})",
                       json_string(message), type, json_string(code));
  }
  const std::string id =
      request_id.empty() ? std::string() : ",\"request_id\":" + json_string(request_id);
  return fmt::format(R"({{"type":"error","error":{{"type":"{}","message":{},"code":{}}}{}}})", type,
                     json_string(message), json_string(code), id);
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
    case ErrorCode::kUpstreamError:
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
