#include "scenario/scripts.h"

namespace berth::scenario {

namespace {

const char* const kMessageStart =
    "event: message_start\ndata: "
    "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\","
    "\"role\":\"assistant\",\"content\":[],\"model\":\"m\",\"usage\":{\"input_tokens\":40,\"output_"
    "tokens\":0}}}\n\n";
const char* const kMessageText =
    "event: content_block_delta\ndata: "
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
    "\"text\":\"hello\"}}\n\n";
const char* const kMessageEnd =
    "event: message_delta\ndata: "
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"
    "\"input_tokens\":8,\"cache_read_input_tokens\":32,\"output_tokens\":3}}\n\n"
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

bool streams(const Message& request) {
  return request.body.find("\"stream\":true") != std::string::npos;
}

}  // namespace

std::string messages_events() { return std::string(kMessageStart) + kMessageText + kMessageEnd; }

void answer_messages(const Message& request, Wire& wire) {
  if (!streams(request)) {
    wire.reply(
        200,
        R"({"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"hello"}],)"
        R"("usage":{"input_tokens":8,"cache_read_input_tokens":32,"output_tokens":3}})");
    return;
  }
  wire.begin_stream();
  wire.event(kMessageStart);
  wire.event(kMessageText);
  wire.event(kMessageEnd);
  wire.end_stream();
}

void answer_chat(const Message& request, Wire& wire) {
  if (!streams(request)) {
    wire.reply(
        200,
        R"({"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",)"
        R"("content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":40,"completion_tokens":3,)"
        R"("prompt_tokens_details":{"cached_tokens":32}}})");
    return;
  }
  wire.begin_stream();
  wire.event(
      "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\n");
  wire.event(
      "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hello\"}}]}\n\n");
  if (request.body.find("\"include_usage\":true") != std::string::npos) {
    wire.event(
        "data: "
        "{\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":40,\"completion_tokens\":3,"
        "\"prompt_tokens_details\":{\"cached_tokens\":32}}}\n\n");
  }
  wire.event("data: [DONE]\n\n");
  wire.end_stream();
}

}  // namespace berth::scenario
