#include "cli/demo_conversation.h"

#include <fmt/format.h>

#include <array>
#include <random>
#include <string_view>

#include "console/json.h"

namespace berth::cli {
namespace {

constexpr std::size_t kBytesPerToken = 4;
constexpr std::size_t kSystemTokens = 3'500;
constexpr std::size_t kFirstTokens = 6'000;
constexpr std::size_t kLaterTokens = 400;
constexpr int kAnswerTokens = 256;
constexpr std::uint64_t kSharedSeed = 1;

constexpr std::array<std::string_view, 16> kWords = {
    "read",  "the",  "file", "then",  "change", "function", "so", "that",
    "every", "test", "runs", "again", "before", "build",    "of", "server"};

std::string words(std::uint64_t seed, std::size_t tokens) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < tokens * kBytesPerToken) {
    text += kWords[random() % kWords.size()];
    text += ' ';
  }
  text.resize(tokens * kBytesPerToken);
  return text;
}

// In the form of a UUID, as Claude Code's are.
std::string session_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t a = random();
  const std::uint64_t b = random();
  return fmt::format("{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}", a >> 32, (a >> 16) & 0xffff,
                     a & 0xfff, b >> 52, b & 0xffff'ffff'ffff);
}

}  // namespace

DemoConversation::DemoConversation(std::string model, std::uint64_t seed)
    : model_(std::move(model)), seed_(seed), session_(session_of(seed)) {}

std::string DemoConversation::next_request() {
  const std::size_t tokens = turns_ == 0 ? kFirstTokens : kLaterTokens;
  history_.push_back({true, words(seed_ * 1'000 + turns_ + 2, tokens)});
  ++turns_;
  console::Json body;
  body["model"] = model_;
  body["max_tokens"] = kAnswerTokens;
  body["stream"] = true;
  body["system"] = words(kSharedSeed, kSystemTokens);
  body["messages"] = console::Json::array();
  for (const Message& message : history_) {
    console::Json entry;
    entry["role"] = message.from_user ? "user" : "assistant";
    entry["content"] = message.text;
    body["messages"].push_back(std::move(entry));
  }
  return body.dump();
}

void DemoConversation::add_answer(std::string text) {
  history_.push_back({false, std::move(text)});
}

}  // namespace berth::cli
