#include <fmt/format.h>

#include "inspect/json_text.h"
#include "inspect/replies.h"

namespace berth::inspect {

std::string stream_error_event(ApiShape shape, int status, std::string_view code,
                               std::string_view message) {
  const std::string body = error_body(shape, status, code, message);
  switch (shape) {
    case ApiShape::kAnthropic:
      return fmt::format("event: error\ndata: {}\n\n", body);
    case ApiShape::kOpenAiResponses:
      return fmt::format(
          "event: response.failed\n"
          R"(data: {{"type":"response.failed","sequence_number":0,"response":{{"id":"resp_berth","object":"response",)"
          R"("created_at":0,"status":"failed","error":{{"code":{},"message":{}}},"output":[]}}}})"
          "\n\n",
          json_string(code), json_string(message));
    default:
      return fmt::format("data: {}\n\ndata: [DONE]\n\n", body);
  }
}

std::string keep_alive_event(ApiShape shape, std::string_view model) {
  switch (shape) {
    case ApiShape::kAnthropic:
      return "event: ping\ndata: {\"type\":\"ping\"}\n\n";
    case ApiShape::kOpenAiResponses:
      return fmt::format(
          "event: response.in_progress\n"
          R"(data: {{"type":"response.in_progress","sequence_number":0,"response":{{"id":"resp_berth",)"
          R"("object":"response","created_at":0,"status":"in_progress","model":{},"output":[]}}}})"
          "\n\n",
          json_string(model));
    case ApiShape::kOpenAiCompletions:
      return fmt::format(
          R"(data: {{"id":"cmpl-berth","object":"text_completion","created":0,"model":{},)"
          R"("choices":[{{"index":0,"text":"","logprobs":null,"finish_reason":null}}]}})"
          "\n\n",
          json_string(model));
    default:
      return fmt::format(
          R"(data: {{"id":"chatcmpl-berth","object":"chat.completion.chunk","created":0,"model":{},)"
          R"("choices":[{{"index":0,"delta":{{}},"finish_reason":null}}]}})"
          "\n\n",
          json_string(model));
  }
}

}  // namespace berth::inspect
