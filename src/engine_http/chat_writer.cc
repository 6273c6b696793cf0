// OpenAI's chat completions.
//
// Source: vllm/entrypoints/openai/chat_completion/serving.py (chat_completion_stream_generator):
// the role chunk comes with the first token, the finish reason with the last, then a chunk without
// choices that has the usage where the client asked for it, then [DONE].
#include <utility>

#include "engine_http/reply_writer.h"
#include "engine_http/sse.h"

namespace berth::engine_http {
namespace {

OrderedJson function_call(const ToolCall& call) {
  OrderedJson out;
  out["id"] = call.id;
  out["type"] = "function";
  out["function"] = {{"name", call.name}, {"arguments", call.arguments}};
  return out;
}

class ChatWriter final : public ReplyWriter {
 public:
  ChatWriter(const GenerateRequest& request, const Reply& reply, ReplyIdentity identity)
      : request_(request), reply_(reply), identity_(std::move(identity)) {}

  std::string token(std::size_t index, const Usage& usage) override {
    std::string out;
    if (index == 0) {
      const Usage before{.prompt = usage.prompt, .cached = usage.cached, .output = 0};
      out = chunk({{"role", "assistant"}, {"content", ""}}, false, before);
    }
    const bool last = index + 1 == reply_.tokens.size();
    const Piece& piece = reply_.pieces[index];
    if (piece.kind == Piece::Kind::kNothing && !last) return out;
    return out + chunk(delta_of(piece), last, usage);
  }

  std::string close(const Usage& usage) override {
    std::string out;
    if (request_.include_usage) {
      OrderedJson body = head("chat.completion.chunk");
      body["choices"] = OrderedJson::array();
      body["usage"] = openai_usage(usage, identity_.cache_details);
      out = data_event(body);
    }
    return out.append(kDone);
  }

  std::string stream_error(const ApiError& error) override {
    return "data: " + openai_error_body(error) + "\n\n" + std::string(kDone);
  }

  std::string whole(const Usage& usage) override {
    const Turn& answer = reply_.answer;
    OrderedJson message;
    message["role"] = "assistant";
    message["content"] = answer.text.empty() ? OrderedJson() : OrderedJson(answer.text);
    message["refusal"] = nullptr;
    message["annotations"] = nullptr;
    message["audio"] = nullptr;
    message["function_call"] = nullptr;
    message["tool_calls"] = OrderedJson::array();
    for (const ToolCall& call : answer.calls) message["tool_calls"].push_back(function_call(call));
    message["reasoning"] = nullptr;
    OrderedJson choice;
    choice["index"] = 0;
    choice["message"] = std::move(message);
    choice["logprobs"] = nullptr;
    choice["finish_reason"] = openai_finish_reason(reply_.finish);
    choice["stop_reason"] = nullptr;
    choice["token_ids"] = nullptr;
    OrderedJson body = head("chat.completion");
    body["choices"].push_back(std::move(choice));
    body["service_tier"] = nullptr;
    body["system_fingerprint"] = nullptr;
    body["usage"] = openai_usage(usage, identity_.cache_details);
    if (!identity_.cache_details) body["usage"]["prompt_tokens_details"] = nullptr;
    body["prompt_logprobs"] = nullptr;
    body["prompt_token_ids"] = nullptr;
    body["kv_transfer_params"] = nullptr;
    return dump(body);
  }

 private:
  OrderedJson head(std::string_view object) const {
    OrderedJson body;
    body["id"] = identity_.id;
    body["object"] = object;
    body["created"] = identity_.created;
    body["model"] = identity_.model;
    return body;
  }

  OrderedJson delta_of(const Piece& piece) const {
    OrderedJson call;
    switch (piece.kind) {
      case Piece::Kind::kCallStart:
        call["id"] = reply_.calls[piece.call].id;
        call["type"] = "function";
        call["index"] = piece.call;
        call["function"] = {{"name", reply_.calls[piece.call].name}, {"arguments", ""}};
        return {{"tool_calls", OrderedJson::array({call})}};
      case Piece::Kind::kCallArguments:
        call["index"] = piece.call;
        call["function"]["arguments"] = piece.text;
        return {{"tool_calls", OrderedJson::array({call})}};
      case Piece::Kind::kText:
      case Piece::Kind::kNothing:
        break;
    }
    return {{"content", piece.text}};
  }

  std::string chunk(OrderedJson delta, bool last, const Usage& usage) const {
    OrderedJson choice;
    choice["index"] = 0;
    choice["delta"] = std::move(delta);
    choice["logprobs"] = nullptr;
    choice["finish_reason"] =
        last ? OrderedJson(openai_finish_reason(reply_.finish)) : OrderedJson();
    if (last) choice["stop_reason"] = nullptr;
    OrderedJson body = head("chat.completion.chunk");
    body["choices"].push_back(std::move(choice));
    if (request_.continuous_usage) body["usage"] = openai_usage(usage, false);
    return data_event(body);
  }

  const GenerateRequest& request_;
  const Reply& reply_;
  ReplyIdentity identity_;
};

}  // namespace

std::unique_ptr<ReplyWriter> make_chat_writer(const GenerateRequest& request, const Reply& reply,
                                              ReplyIdentity identity) {
  return std::make_unique<ChatWriter>(request, reply, std::move(identity));
}

}  // namespace berth::engine_http
