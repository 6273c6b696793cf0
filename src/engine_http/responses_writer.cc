// OpenAI's responses.
//
// Source: vllm/entrypoints/openai/responses/{serving,streaming_events,protocol}.py:
// response.created and response.in_progress come before the engine has done anything; every event
// has a sequence number; the stream ends with response.completed (also where the output was cut,
// with status "incomplete") and without [DONE].
#include <fmt/format.h>

#include <utility>

#include "engine_http/reply_writer.h"
#include "engine_http/sse.h"

namespace berth::engine_http {
namespace {

OrderedJson text_part(const std::string& text) {
  return {{"annotations", OrderedJson::array()},
          {"text", text},
          {"type", "output_text"},
          {"logprobs", nullptr}};
}

class ResponsesWriter final : public ReplyWriter {
 public:
  ResponsesWriter(const GenerateRequest& request, const Reply& reply, ReplyIdentity identity)
      : request_(request), reply_(reply), identity_(std::move(identity)) {}

  std::string open() override {
    const OrderedJson response = response_object("in_progress", nullptr);
    // One after the other: each takes a sequence number.
    std::string out = event("response.created", {{"response", response}});
    out += event("response.in_progress", {{"response", response}});
    return out;
  }

  std::string token(std::size_t index, const Usage& /*usage*/) override {
    const Piece& piece = reply_.pieces[index];
    switch (piece.kind) {
      case Piece::Kind::kText:
        return text_delta(piece.text);
      case Piece::Kind::kCallStart: {
        std::string out = close_item();
        out += open_call(reply_.calls[piece.call]);
        return out;
      }
      case Piece::Kind::kCallArguments:
        arguments_ += piece.text;
        return event("response.function_call_arguments.delta",
                     {{"delta", piece.text}, {"item_id", item_id()}, {"output_index", index_}});
      case Piece::Kind::kNothing:
        break;
    }
    return {};
  }

  std::string close(const Usage& usage) override {
    std::string out = close_item();
    return out + event("response.completed",
                       {{"response", response_object(status(), usage_object(usage))}});
  }

  std::string stream_error(const ApiError& error) override {
    return event("error", {{"code", error.type}, {"message", error.message}, {"param", nullptr}});
  }

  std::string whole(const Usage& usage) override {
    std::uint32_t index = 0;
    if (!reply_.answer.text.empty()) {
      output_.push_back(message_item(index++, reply_.answer.text, "completed"));
    }
    for (const ToolCall& call : reply_.answer.calls) {
      output_.push_back(call_item(index++, call, call.arguments, "completed"));
    }
    return dump(response_object(status(), usage_object(usage)));
  }

 private:
  enum class Open : std::uint8_t { kNothing, kText, kCall };

  std::string_view status() const {
    return reply_.finish == Finish::kLength ? "incomplete" : "completed";
  }

  // Items are named by the response and their place in it.
  std::string item_id(std::uint32_t index, std::string_view prefix) const {
    return fmt::format("{}_{}_{}", prefix, identity_.id.substr(identity_.id.find('_') + 1), index);
  }
  std::string item_id() const { return item_id(index_, open_ == Open::kText ? "msg" : "fc"); }

  OrderedJson message_item(std::uint32_t index, const std::string& text,
                           std::string_view item_status) const {
    OrderedJson content = OrderedJson::array();
    if (item_status == "completed") content.push_back(text_part(text));
    return {{"id", item_id(index, "msg")},
            {"content", std::move(content)},
            {"role", "assistant"},
            {"status", item_status},
            {"type", "message"}};
  }

  OrderedJson call_item(std::uint32_t index, const ToolCall& call, const std::string& arguments,
                        std::string_view item_status) const {
    return {{"arguments", arguments},  {"call_id", call.id},         {"name", call.name},
            {"type", "function_call"}, {"id", item_id(index, "fc")}, {"status", item_status}};
  }

  std::string text_delta(const std::string& text) {
    std::string out;
    if (open_ != Open::kText) {
      open_ = Open::kText;
      out = event("response.output_item.added",
                  {{"item", message_item(index_, "", "in_progress")}, {"output_index", index_}});
      out += event("response.content_part.added", {{"content_index", 0},
                                                   {"item_id", item_id()},
                                                   {"output_index", index_},
                                                   {"part", text_part("")}});
    }
    text_ += text;
    return out + event("response.output_text.delta", {{"content_index", 0},
                                                      {"delta", text},
                                                      {"item_id", item_id()},
                                                      {"logprobs", OrderedJson::array()},
                                                      {"output_index", index_}});
  }

  std::string open_call(const ToolCall& call) {
    open_ = Open::kCall;
    call_ = &call;
    arguments_.clear();
    return event("response.output_item.added",
                 {{"item", call_item(index_, call, "", "in_progress")}, {"output_index", index_}});
  }

  std::string close_item() {
    std::string out;
    OrderedJson item;
    if (open_ == Open::kText) {
      out = event("response.output_text.done", {{"content_index", 0},
                                                {"item_id", item_id()},
                                                {"logprobs", OrderedJson::array()},
                                                {"output_index", index_},
                                                {"text", text_}});
      out += event("response.content_part.done", {{"content_index", 0},
                                                  {"item_id", item_id()},
                                                  {"output_index", index_},
                                                  {"part", text_part(text_)}});
      item = message_item(index_, text_, "completed");
    } else if (open_ == Open::kCall) {
      out = event("response.function_call_arguments.done", {{"arguments", arguments_},
                                                            {"item_id", item_id()},
                                                            {"name", call_->name},
                                                            {"output_index", index_}});
      item = call_item(index_, *call_, arguments_, "completed");
    } else {
      return out;
    }
    out += event("response.output_item.done", {{"item", item}, {"output_index", index_}});
    output_.push_back(std::move(item));
    open_ = Open::kNothing;
    ++index_;
    return out;
  }

  // Adds the members every event has.
  std::string event(std::string_view type, OrderedJson body) {
    body["sequence_number"] = sequence_++;
    body["type"] = type;
    return typed_event(body);
  }

  OrderedJson usage_object(const Usage& usage) const {
    OrderedJson out;
    out["input_tokens"] = usage.prompt;
    out["input_tokens_details"] = {{"cached_tokens", usage.cached},
                                   {"input_tokens_per_turn", OrderedJson::array()},
                                   {"cached_tokens_per_turn", OrderedJson::array()}};
    out["output_tokens"] = usage.output;
    out["output_tokens_details"] = {{"reasoning_tokens", 0}, {"tool_output_tokens", 0}};
    out["total_tokens"] = usage.prompt + usage.output;
    return out;
  }

  OrderedJson echoed(const char* name, OrderedJson otherwise) const {
    const Json* value = member(request_.echo, name);
    return value == nullptr ? std::move(otherwise) : OrderedJson(*value);
  }

  OrderedJson response_object(std::string_view response_status, OrderedJson usage) const {
    OrderedJson out;
    out["id"] = identity_.id;
    out["created_at"] = identity_.created;
    out["incomplete_details"] = nullptr;
    if (response_status == "incomplete") {
      out["incomplete_details"] = {{"reason", "max_output_tokens"}};
    }
    out["instructions"] = echoed("instructions", nullptr);
    out["metadata"] = echoed("metadata", nullptr);
    out["model"] = identity_.model;
    out["object"] = "response";
    out["output"] = output_;
    out["parallel_tool_calls"] = echoed("parallel_tool_calls", true);
    out["temperature"] = echoed("temperature", 1.0);
    out["tool_choice"] = echoed("tool_choice", "auto");
    out["tools"] = echoed("tools", OrderedJson::array());
    out["top_p"] = echoed("top_p", 1.0);
    out["background"] = false;
    out["max_output_tokens"] =
        request_.max_tokens ? OrderedJson(*request_.max_tokens) : OrderedJson();
    out["max_tool_calls"] = echoed("max_tool_calls", nullptr);
    out["previous_response_id"] = nullptr;
    out["prompt"] = nullptr;
    out["reasoning"] = echoed("reasoning", nullptr);
    out["service_tier"] = echoed("service_tier", "auto");
    out["status"] = response_status;
    out["text"] = echoed("text", nullptr);
    out["top_logprobs"] = nullptr;
    out["truncation"] = echoed("truncation", "disabled");
    out["usage"] = std::move(usage);
    out["user"] = echoed("user", nullptr);
    return out;
  }

  const GenerateRequest& request_;
  const Reply& reply_;
  ReplyIdentity identity_;
  OrderedJson output_ = OrderedJson::array();  // items that are done
  std::uint64_t sequence_ = 0;
  std::uint32_t index_ = 0;  // of the item that is open or comes next
  Open open_ = Open::kNothing;
  std::string text_;
  const ToolCall* call_ = nullptr;
  std::string arguments_;
};

}  // namespace

std::unique_ptr<ReplyWriter> make_responses_writer(const GenerateRequest& request,
                                                   const Reply& reply, ReplyIdentity identity) {
  return std::make_unique<ResponsesWriter>(request, reply, std::move(identity));
}

}  // namespace berth::engine_http
