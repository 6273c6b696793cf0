// OpenAI's completions.
//
// Source: vllm/entrypoints/openai/completion/serving.py (completion_stream_generator): no role
// chunk; otherwise as chat completions.
#include <utility>

#include "engine_http/reply_writer.h"
#include "engine_http/sse.h"

namespace berth::engine_http {
namespace {

class CompletionsWriter final : public ReplyWriter {
 public:
  CompletionsWriter(const GenerateRequest& request, const Reply& reply, ReplyIdentity identity)
      : request_(request), reply_(reply), identity_(std::move(identity)) {}

  std::string token(std::size_t index, const Usage& usage) override {
    const bool last = index + 1 == reply_.tokens.size();
    const Piece& piece = reply_.pieces[index];
    if (piece.kind != Piece::Kind::kText && !last) return {};
    OrderedJson body = head();
    body["choices"].push_back(choice(piece.text, last));
    body["usage"] = request_.continuous_usage ? openai_usage(usage, false) : OrderedJson();
    return data_event(body);
  }

  std::string close(const Usage& usage) override {
    std::string out;
    if (request_.include_usage) {
      OrderedJson body = head();
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
    OrderedJson body = head();
    OrderedJson only = choice(reply_.answer.text, true);
    only["prompt_logprobs"] = nullptr;
    body["choices"].push_back(std::move(only));
    body["service_tier"] = nullptr;
    body["system_fingerprint"] = nullptr;
    body["usage"] = openai_usage(usage, identity_.cache_details);
    body["kv_transfer_params"] = nullptr;
    return dump(body);
  }

 private:
  OrderedJson head() const {
    OrderedJson body;
    body["id"] = identity_.id;
    body["object"] = "text_completion";
    body["created"] = identity_.created;
    body["model"] = identity_.model;
    return body;
  }

  OrderedJson choice(const std::string& text, bool last) const {
    OrderedJson out;
    out["index"] = 0;
    out["text"] = text;
    out["logprobs"] = nullptr;
    out["finish_reason"] = nullptr;
    if (last) out["finish_reason"] = reply_.finish == Finish::kLength ? "length" : "stop";
    out["stop_reason"] = nullptr;
    return out;
  }

  const GenerateRequest& request_;
  const Reply& reply_;
  ReplyIdentity identity_;
};

}  // namespace

std::unique_ptr<ReplyWriter> make_completions_writer(const GenerateRequest& request,
                                                     const Reply& reply, ReplyIdentity identity) {
  return std::make_unique<CompletionsWriter>(request, reply, std::move(identity));
}

}  // namespace berth::engine_http
