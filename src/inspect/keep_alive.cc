#include <fmt/format.h>

#include "inspect/json_text.h"
#include "inspect/replies.h"

namespace berth::inspect {
namespace {

std::string responses_keep_alive(std::string_view model, bool began) {
  if (began) {
    return "event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":0}\n\n";
  }
  return fmt::format(
      "event: response.created\n"
      R"(data: {{"type":"response.created","sequence_number":0,"response":{{"id":"resp_berth",)"
      R"("object":"response","created_at":0,"status":"in_progress","error":null,)"
      R"("incomplete_details":null,"instructions":null,"metadata":{{}},"model":{},"output":[],)"
      R"("parallel_tool_calls":true,"tool_choice":"auto","tools":[],"usage":null}}}})"
      "\n\n",
      json_string(model));
}

}  // namespace

std::string keep_alive_event(ApiShape shape, std::string_view model, bool began) {
  switch (shape) {
    case ApiShape::kAnthropic:
      return "event: ping\ndata: {\"type\":\"ping\"}\n\n";
    case ApiShape::kOpenAiResponses:
      return responses_keep_alive(model, began);
    case ApiShape::kOpenAiCompletions:
      return fmt::format(
          R"(data: {{"id":"cmpl-berth","object":"text_completion","created":0,"model":{},)"
          R"("choices":[{{"index":0,"text":"","logprobs":null,"finish_reason":null}}]}})"
          "\n\n",
          json_string(model));
    case ApiShape::kOpenAiChat:
    case ApiShape::kOpenAiOther:
      break;
  }
  return fmt::format(
      R"(data: {{"id":"chatcmpl-berth","object":"chat.completion.chunk","created":0,"model":{},)"
      R"("choices":[{{"index":0,"delta":{{}},"logprobs":null,"finish_reason":null}}]}})"
      "\n\n",
      json_string(model));
}

}  // namespace berth::inspect
