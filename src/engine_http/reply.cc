#include "engine_http/reply.h"

#include <fmt/format.h>

#include <array>
#include <random>
#include <utility>

#include "engine/block_hash.h"
#include "engine_http/script.h"

namespace berth::engine_http {
namespace {

constexpr std::uint64_t kShortest = 32;
constexpr std::uint64_t kLongest = 256;

constexpr std::array<std::string_view, 16> kWords = {
    "the", "berth", "holds", "a",    "quiet", "ship",  "while", "tide",
    "and", "wind",  "turn",  "over", "open",  "water", "then",  "return"};

// `bytes` bytes of words without a space at either end.
std::string words(std::uint64_t seed, std::uint64_t bytes) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < bytes) {
    if (!text.empty()) text += ' ';
    text += kWords[random() % kWords.size()];
  }
  text.resize(bytes);
  if (!text.empty() && text.back() == ' ') text.back() = '.';
  return text;
}

Turn plain_answer(const GenerateRequest& request, std::uint64_t seed, std::uint64_t max_tokens) {
  std::uint64_t tokens = max_tokens;
  if (!request.ignore_eos) {
    // One of them is the end.
    tokens = std::mt19937_64(seed)() % (kLongest - kShortest + 1) + kShortest - 1;
  }
  return {.role = Role::kAssistant, .text = words(seed, tokens * kBytesPerToken), .calls = {}};
}

// Turns tokens into pieces and, at the end, into what came out whole.
class PieceMaker {
 public:
  explicit PieceMaker(Reply& reply) : reply_(reply) {}

  void add(Token token) {
    if (token == mark_token(Mark::kCallName)) {
      cut_character();
      begin_call();
    } else if (token == mark_token(Mark::kCallArguments)) {
      kind_ = Piece::Kind::kCallArguments;
      reply_.pieces.emplace_back();
    } else if (token == mark_token(Mark::kEnd)) {
      cut_character();
      ended_ = true;
      reply_.pieces.emplace_back();
    } else {
      add_bytes(token_bytes(token));
    }
  }

  void finish() {
    Turn& answer = reply_.answer;
    answer.text = std::move(text_);
    answer.calls = reply_.calls;
    // Only the end mark or the next call says that a call is whole.
    if (!ended_ && !answer.calls.empty()) answer.calls.pop_back();
    if (!ended_) {
      reply_.finish = Finish::kLength;
    } else if (!answer.calls.empty()) {
      reply_.finish = Finish::kToolCalls;
    }
  }

 private:
  void begin_call() {
    const auto index = static_cast<std::uint32_t>(calls_started_++);
    kind_ =
        Piece::Kind::kNothing;  // the name's own tokens show nothing: the start carries it whole
    reply_.calls.push_back(reply_.answer.calls[index]);
    reply_.pieces.push_back({.kind = Piece::Kind::kCallStart, .call = index, .text = {}});
  }

  void add_bytes(const std::string& bytes) {
    partial_ += bytes;
    const std::size_t whole = whole_characters(partial_);
    Piece piece{.kind = kind_, .call = static_cast<std::uint32_t>(calls_started_ - 1), .text = {}};
    if (kind_ == Piece::Kind::kNothing) {
      partial_.clear();
    } else {
      piece.text = partial_.substr(0, whole);
      partial_.erase(0, whole);
    }
    if (kind_ == Piece::Kind::kText) {
      piece.call = 0;
      text_ += piece.text;
    }
    if (piece.text.empty()) piece.kind = Piece::Kind::kNothing;
    reply_.pieces.push_back(std::move(piece));
  }

  // A piece of text ended, so nothing more comes of a broken character.
  void cut_character() { partial_.clear(); }

  Reply& reply_;
  Piece::Kind kind_ = Piece::Kind::kText;
  std::size_t calls_started_ = 0;
  std::string partial_;
  std::string text_;
  bool ended_ = false;
};

}  // namespace

Reply make_reply(const GenerateRequest& request, std::uint64_t seed, std::uint64_t max_tokens) {
  const std::uint64_t own_seed = engine::hash_block(engine::root_hash(seed), request.prompt);
  Reply reply;
  if (std::optional<Turn> scripted = scripted_answer(request.conversation)) {
    reply.answer = std::move(*scripted);
  } else {
    reply.answer = plain_answer(request, own_seed, max_tokens);
  }
  std::uint32_t index = 0;
  for (ToolCall& call : reply.answer.calls) {
    call.id = fmt::format("call_{:016x}{:02x}", own_seed, index++);
  }
  reply.tokens = render_answer(reply.answer);
  if (reply.tokens.size() > max_tokens) reply.tokens.resize(max_tokens);
  PieceMaker maker(reply);
  for (const Token token : reply.tokens) maker.add(token);
  maker.finish();
  return reply;
}

}  // namespace berth::engine_http
