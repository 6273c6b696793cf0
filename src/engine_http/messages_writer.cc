// Anthropic's messages.
//
// Source: vllm/entrypoints/anthropic/serving.py (message_stream_converter,
// messages_full_converter): message_start has the usage of the first chunk, which carries no cache
// details; with details on, message_delta has input_tokens without the cached ones and the cache_*
// members (vllm-project/vllm#40912). A stream ends with message_stop, without [DONE].
#include <utility>

#include "engine_http/reply_writer.h"
#include "engine_http/sse.h"

namespace berth::engine_http {
namespace {

std::string_view stop_reason(Finish finish) {
  switch (finish) {
    case Finish::kLength:
      return "max_tokens";
    case Finish::kToolCalls:
      return "tool_use";
    case Finish::kStop:
      break;
  }
  return "end_turn";
}

class MessagesWriter final : public ReplyWriter {
 public:
  MessagesWriter(const Reply& reply, ReplyIdentity identity)
      : reply_(reply), identity_(std::move(identity)) {}

  std::string token(std::size_t index, const Usage& usage) override {
    std::string out = index == 0 ? message_start(usage) : std::string();
    const Piece& piece = reply_.pieces[index];
    switch (piece.kind) {
      case Piece::Kind::kText:
        if (!text_open_) out += open_text();
        out += delta({{"type", "text_delta"}, {"text", piece.text}});
        break;
      case Piece::Kind::kCallStart:
        out += open_call(reply_.calls[piece.call]);
        break;
      case Piece::Kind::kCallArguments:
        out += delta({{"type", "input_json_delta"}, {"partial_json", piece.text}});
        break;
      case Piece::Kind::kNothing:
        break;
    }
    return out;
  }

  std::string close(const Usage& usage) override {
    std::string out = close_block();
    OrderedJson event{{"type", "message_delta"}};
    event["delta"] = {{"stop_reason", stop_reason(reply_.finish)}};
    event["usage"] = full_usage(usage);
    return out + typed_event(event) + typed_event({{"type", "message_stop"}});
  }

  std::string stream_error(const ApiError& error) override {
    OrderedJson event{{"type", "error"}};
    event["error"] = {{"type", "internal_error"}, {"message", error.message}};
    return typed_event(event).append(kDone);
  }

  std::string whole(const Usage& usage) override {
    OrderedJson content = OrderedJson::array();
    if (!reply_.answer.text.empty()) {
      content.push_back({{"type", "text"}, {"text", reply_.answer.text}});
    }
    for (const ToolCall& call : reply_.answer.calls) {
      OrderedJson block{{"type", "tool_use"}, {"id", call.id}, {"name", call.name}};
      block["input"] = OrderedJson::parse(call.arguments, nullptr, false);
      content.push_back(std::move(block));
    }
    OrderedJson body;
    body["id"] = identity_.id;
    body["type"] = "message";
    body["role"] = "assistant";
    body["content"] = std::move(content);
    body["model"] = identity_.model;
    body["stop_reason"] = stop_reason(reply_.finish);
    body["usage"] = full_usage(usage);
    return dump(body);
  }

 private:
  std::string message_start(const Usage& usage) const {
    OrderedJson message;
    message["id"] = identity_.id;
    message["type"] = "message";
    message["role"] = "assistant";
    message["content"] = OrderedJson::array();
    message["model"] = identity_.model;
    message["stop_reason"] = nullptr;
    message["stop_sequence"] = nullptr;
    message["usage"] = {{"input_tokens", usage.prompt}, {"output_tokens", 0}};
    OrderedJson event{{"type", "message_start"}};
    event["message"] = std::move(message);
    return typed_event(event);
  }

  OrderedJson full_usage(const Usage& usage) const {
    OrderedJson out;
    const bool details = identity_.cache_details;
    out["input_tokens"] = details ? usage.prompt - usage.cached : usage.prompt;
    out["output_tokens"] = usage.output;
    if (details) {
      out["cache_creation_input_tokens"] = 0;
      out["cache_read_input_tokens"] = usage.cached;
    }
    return out;
  }

  std::string open_text() {
    text_open_ = true;
    return start_block({{"type", "text"}, {"text", ""}});
  }

  std::string open_call(const ToolCall& call) {
    std::string out = close_block();
    text_open_ = false;
    OrderedJson block{{"type", "tool_use"}, {"id", call.id}, {"name", call.name}};
    block["input"] = OrderedJson::object();
    return out + start_block(std::move(block));
  }

  std::string start_block(OrderedJson block) {
    block_open_ = true;
    OrderedJson event{{"type", "content_block_start"}, {"index", block_}};
    event["content_block"] = std::move(block);
    return typed_event(event);
  }

  std::string delta(OrderedJson what) const {
    OrderedJson event{{"type", "content_block_delta"}, {"index", block_}};
    event["delta"] = std::move(what);
    return typed_event(event);
  }

  std::string close_block() {
    if (!block_open_) return {};
    block_open_ = false;
    return typed_event({{"type", "content_block_stop"}, {"index", block_++}});
  }

  const Reply& reply_;
  ReplyIdentity identity_;
  std::uint32_t block_ = 0;  // index of the block that is open or comes next
  bool block_open_ = false;
  bool text_open_ = false;
};

}  // namespace

std::unique_ptr<ReplyWriter> make_messages_writer(const Reply& reply, ReplyIdentity identity) {
  return std::make_unique<MessagesWriter>(reply, std::move(identity));
}

}  // namespace berth::engine_http
