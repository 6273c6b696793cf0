#include "config/toml_characters.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::config {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Position position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  // Columns count characters: continuation bytes of UTF-8 do not begin one.
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  const auto characters = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start),
                                        before.end(), is_start);
  return {lines + 1, static_cast<std::uint32_t>(characters) + 1};
}

bool is_forbidden_control(std::string_view text, std::size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  if (byte == '\t' || byte == '\n') return false;
  if (byte == '\r') return text.substr(i + 1, 1) != "\n";
  return byte < ' ' || byte == 0x7f;
}

// Where the string that begins at `start` ends: behind its closing quotes, at the end of the line
// when a single-line one is not closed, or at the end of the text. What is wrong with it is the
// parser's business.
std::size_t end_of_string(std::string_view text, std::size_t start) {
  const char quote = text[start];
  const std::string triple(3, quote);
  const bool multi_line = text.substr(start, 3) == triple;
  const std::string_view closing = multi_line ? std::string_view(triple) : text.substr(start, 1);
  for (std::size_t i = start + closing.size(); i < text.size(); ++i) {
    if (!multi_line && text[i] == '\n') return i;
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text.substr(i, closing.size()) == closing) {
      return i + closing.size();
    }
  }
  return text.size();
}

}  // namespace

std::optional<SyntaxError> check_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_forbidden_control(text, i)) continue;
    const auto byte = static_cast<unsigned char>(text[i]);
    return SyntaxError{position_of(text, i), fmt::format("control character 0x{:02x}", byte)};
  }
  // The library reads a dotted key by recursion: one of thousands of parts would exhaust the stack.
  constexpr int kMaxDots = 64;
  int dots = 0;  // outside of quotes, in this line
  std::size_t i = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (i < text.size()) {
    dots = text[i] == '\n' ? 0 : dots + (text[i] == '.' ? 1 : 0);
    if (dots > kMaxDots) {
      return SyntaxError{position_of(text, i),
                         fmt::format("a key of more than {} parts", kMaxDots)};
    }
    if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (text[i] == '"' || text[i] == '\'') {
      i = end_of_string(text, i);
    } else if (static_cast<unsigned char>(text[i]) >= 0x80) {
      return SyntaxError{position_of(text, i), "a character outside of ASCII must stand in quotes"};
    } else {
      ++i;
    }
  }
  return std::nullopt;
}

}  // namespace berth::config
