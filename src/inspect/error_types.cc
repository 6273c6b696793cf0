#include "inspect/error_types.h"

namespace berth::inspect {

std::string_view error_type(ApiShape shape, int status) {
  const bool anthropic = shape == ApiShape::kAnthropic;
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
      return anthropic ? "request_too_large" : "invalid_request_error";
    case 429:
      return "rate_limit_error";
    case 503:
    case 529:
      return "overloaded_error";
    default:
      if (status < 500) return "invalid_request_error";
      return anthropic ? "api_error" : "server_error";
  }
}

bool is_final(int status) {
  return status >= 400 && status < 500 && status != 408 && status != 409 && status != 429;
}

}  // namespace berth::inspect
