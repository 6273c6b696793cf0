#include <fmt/format.h>

#include "inspect/error_types.h"
#include "inspect/json_text.h"
#include "inspect/replies.h"

namespace berth::inspect {
namespace {

// The members of a response object that typed clients insist on.
std::string failed_response(int status, std::string_view code, std::string_view message) {
  return fmt::format(
      R"({{"id":"resp_berth","object":"response","created_at":0,"status":"failed",)"
      R"("error":{{"code":{},"message":{}}},"incomplete_details":null,"output":[],"usage":null}})",
      json_string(is_final(status) ? "invalid_prompt" : code), json_string(message));
}

// What a repeat may mend is told as overload inside a stream: on any other type Qwen Code gives the
// turn up, and Claude Code repeats it without streaming.
int told_status(int status) {
  constexpr int kTooManyRequests = 429;
  constexpr int kOverloaded = 503;
  return is_final(status) || status == kTooManyRequests ? status : kOverloaded;
}

}  // namespace

std::string stream_error_event(ApiShape shape, int status, std::string_view code,
                               std::string_view message, std::string_view request_id) {
  switch (shape) {
    case ApiShape::kAnthropic:
      return fmt::format("event: error\ndata: {}\n\n",
                         error_body(shape, told_status(status), code, message, request_id));
    case ApiShape::kOpenAiResponses:
      return fmt::format(
          "event: response.failed\n"
          R"(data: {{"type":"response.failed","sequence_number":0,"response":{}}})"
          "\n\n",
          failed_response(status, code, message));
    case ApiShape::kOpenAiChat:
    case ApiShape::kOpenAiCompletions:
    case ApiShape::kOpenAiOther:
      break;
  }
  return fmt::format("data: {}\n\ndata: [DONE]\n\n",
                     error_body(shape, told_status(status), code, message));
}

}  // namespace berth::inspect
