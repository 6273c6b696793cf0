#include "sim_http/history.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "engine_http/tokens.h"
#include "sim/random.h"

namespace berth::sim_http {
namespace {

constexpr std::uint32_t kSystemMarks = 2;
// Of a first prompt, beside its system message: user, end, assistant.
constexpr std::uint32_t kFirstMarks = 3;
// Of a later prompt, beside what the last one and its answer had: the end of that answer, and the
// three of a turn.
constexpr std::uint32_t kLaterMarks = 4;
constexpr std::uint64_t kSharedText = 1;

// Text of that many tokens, different for every `content` from its first token on.
std::string text_of(std::uint32_t tokens, std::uint64_t content) {
  constexpr std::string_view kLetters = "abcdefghijklmnop";
  const std::size_t bytes = tokens * engine_http::kBytesPerToken;
  sim::Random random(content);
  std::string text;
  text.reserve(bytes);
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < bytes; ++i, drawn >>= 4) {
    if (i % 16 == 0) drawn = random.next();
    text.push_back(kLetters[drawn & 0xF]);
  }
  return text;
}

nlohmann::json body_of(const std::string& model, std::uint32_t output_tokens) {
  return {{"model", model},
          {"stream", true},
          {"stream_options", {{"include_usage", true}}},
          {"ignore_eos", true},
          {"max_tokens", output_tokens},
          {"messages", nlohmann::json::array()}};
}

}  // namespace

History::History(std::uint32_t shared_tokens, std::uint64_t own) : own_(own) {
  messages_.push_back({"system", text_of(shared_tokens - kSystemMarks, kSharedText)});
}

std::string History::request(const std::string& model, const sim::TurnPlan& turn) {
  const std::uint32_t marks = messages_.size() == 1 ? kFirstMarks : kLaterMarks;
  const std::uint32_t fresh = turn.prompt_tokens - turn.kept_tokens;
  BERTH_CHECK(fresh > marks);
  messages_.push_back({"user", text_of(fresh - marks, sim::mix(own_ + messages_.size()))});
  nlohmann::json body = body_of(model, turn.output_tokens);
  for (const Message& message : messages_) {
    body["messages"].push_back({{"role", message.role}, {"content", message.text}});
  }
  return body.dump();
}

void History::add_answer(std::string text) { messages_.push_back({"assistant", std::move(text)}); }

std::string warming_request(const std::string& model, std::uint32_t shared_tokens) {
  constexpr std::uint32_t kOneToken = kFirstMarks + 1;
  sim::TurnPlan turn;
  turn.kept_tokens = shared_tokens;
  turn.prompt_tokens = shared_tokens + kOneToken;
  turn.output_tokens = 1;
  return History(shared_tokens, 0).request(model, turn);
}

}  // namespace berth::sim_http
