// What Berth itself says in each API's own shape: errors, in-stream errors, keep-alive events.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "inspect/api.h"

namespace berth::inspect {

// JSON error body. `code` (error_code_name) is stable; `type` follows the API's own names for the
// status.
std::string error_body(ApiShape shape, int status, std::string_view code, std::string_view message);
// The HTTP status for an error Berth answers with.
int http_status(ErrorCode code);
// A whole event that ends a stream already under way, in the API's shape, with its end mark.
std::string stream_error_event(ApiShape shape, int status, std::string_view code,
                               std::string_view message);
// A whole event that every known client of that API counts as life and none shows.
std::string keep_alive_event(ApiShape shape, std::string_view model);

}  // namespace berth::inspect
