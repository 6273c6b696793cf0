#include "engine_http/sse.h"

#include <fmt/format.h>

namespace berth::engine_http {

std::string data_event(const OrderedJson& data) { return fmt::format("data: {}\n\n", dump(data)); }

std::string typed_event(const OrderedJson& data) {
  return fmt::format("event: {}\ndata: {}\n\n", data["type"].get_ref<const std::string&>(),
                     dump(data));
}

OrderedJson openai_usage(const Usage& usage, bool cache_details) {
  OrderedJson out;
  out["prompt_tokens"] = usage.prompt;
  out["total_tokens"] = usage.prompt + usage.output;
  out["completion_tokens"] = usage.output;
  if (cache_details) out["prompt_tokens_details"]["cached_tokens"] = usage.cached;
  return out;
}

std::string_view openai_finish_reason(Finish finish) {
  switch (finish) {
    case Finish::kLength:
      return "length";
    case Finish::kToolCalls:
      return "tool_calls";
    case Finish::kStop:
      break;
  }
  return "stop";
}

}  // namespace berth::engine_http
