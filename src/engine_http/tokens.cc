#include "engine_http/tokens.h"

#include <algorithm>

namespace berth::engine_http {
namespace {

// No byte of UTF-8 text is 0xFF: it pads the last token of a piece and begins a mark.
constexpr unsigned kPad = 0xFF;

Token pack(std::string_view bytes) {
  Token token = 0;
  for (std::size_t i = 0; i < kBytesPerToken; ++i) {
    const unsigned byte = i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : kPad;
    token |= Token{byte} << (8 * i);
  }
  return token;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t character_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte >= 0xF0) return 4;
  if (byte >= 0xE0) return 3;
  return byte >= 0xC0 ? 2 : 1;
}

}  // namespace

Token mark_token(Mark mark) { return kPad | (static_cast<Token>(mark) << 8); }

void append_text(std::vector<Token>& tokens, std::string_view text) {
  for (std::size_t at = 0; at < text.size(); at += kBytesPerToken) {
    tokens.push_back(pack(text.substr(at, kBytesPerToken)));
  }
}

std::size_t count_text(std::string_view text) {
  return (text.size() + kBytesPerToken - 1) / kBytesPerToken;
}

std::string token_bytes(Token token) {
  std::string bytes;
  for (std::size_t i = 0; i < kBytesPerToken; ++i) {
    const unsigned byte = (token >> (8 * i)) & 0xFF;
    if (byte == kPad) break;
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

std::string detokenise(std::span<const Token> tokens) {
  std::string text;
  for (const Token token : tokens) text += token_bytes(token);
  return text;
}

std::size_t whole_characters(std::string_view bytes) {
  // A character has at most three bytes after its lead.
  const std::size_t look = std::min<std::size_t>(bytes.size(), 4);
  for (std::size_t back = 1; back <= look; ++back) {
    const char c = bytes[bytes.size() - back];
    if (is_continuation(c)) continue;
    return character_length(c) > back ? bytes.size() - back : bytes.size();
  }
  return bytes.size();
}

}  // namespace berth::engine_http
