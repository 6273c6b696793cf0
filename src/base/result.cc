#include "base/result.h"

#include "base/check.h"

namespace berth {

std::string_view error_code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kBadRequest:
      return "bad_request";
    case ErrorCode::kBadJson:
      return "bad_json";
    case ErrorCode::kHeadTooLarge:
      return "head_too_large";
    case ErrorCode::kBodyTooLarge:
      return "body_too_large";
    case ErrorCode::kRequestTimeout:
      return "request_timeout";
    case ErrorCode::kClientGone:
      return "client_gone";
    case ErrorCode::kUnauthorized:
      return "unauthorized";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kMethodNotAllowed:
      return "method_not_allowed";
    case ErrorCode::kUnknownModel:
      return "unknown_model";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kConnectFailed:
      return "connect_failed";
    case ErrorCode::kConnectTimeout:
      return "connect_timeout";
    case ErrorCode::kUpstreamReset:
      return "upstream_reset";
    case ErrorCode::kUpstreamTimeout:
      return "upstream_timeout";
    case ErrorCode::kUpstreamBadResponse:
      return "upstream_bad_response";
    case ErrorCode::kUpstreamError:
      return "upstream_error";
    case ErrorCode::kTlsFailed:
      return "tls_failed";
    case ErrorCode::kNoReplica:
      return "no_replica";
    case ErrorCode::kOverloaded:
      return "overloaded";
    case ErrorCode::kDraining:
      return "draining";
    case ErrorCode::kConfig:
      return "config";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kInternal:
      return "internal";
  }
  BERTH_CHECK(false && "unknown error code");
  return "";
}

ErrorSource error_source(ErrorCode code) noexcept {
  if (code <= ErrorCode::kUnsupported) return ErrorSource::kClient;
  if (code <= ErrorCode::kTlsFailed) return ErrorSource::kUpstream;
  return ErrorSource::kSelf;
}

}  // namespace berth
