// Server-sent events as vLLM writes them.
#pragma once

#include <string>
#include <string_view>

#include "engine_http/api_error.h"
#include "engine_http/json.h"
#include "engine_http/reply_writer.h"

namespace berth::engine_http {

inline constexpr std::string_view kDone = "data: [DONE]\n\n";

// "data: {...}\n\n"
std::string data_event(const OrderedJson& data);
// "event: TYPE\ndata: {...}\n\n", TYPE being the member "type" of the data.
std::string typed_event(const OrderedJson& data);

// OpenAI's usage object of chat and completions.
OrderedJson openai_usage(const Usage& usage, bool cache_details);
std::string_view openai_finish_reason(Finish finish);

}  // namespace berth::engine_http
