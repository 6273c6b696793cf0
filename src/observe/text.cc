#include "observe/text.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <iterator>

namespace berth::observe {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the valid UTF-8 sequence `text` begins with; 0 when it begins with none.
std::size_t sequence_length(std::string_view text) {
  const std::size_t longest = std::min<std::size_t>(text.size(), 4);
  for (std::size_t n = 1; n <= longest; ++n) {
    if (simdjson::validate_utf8(text.substr(0, n))) return n;
  }
  return 0;
}

std::string replace_invalid(std::string_view text) {
  std::string out;
  out.reserve(text.size() + kReplacement.size());
  while (!text.empty()) {
    const std::size_t n = sequence_length(text);
    out += n == 0 ? kReplacement : text.substr(0, n);
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

bool is_c1(std::string_view text, std::size_t i) {
  const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
  return static_cast<unsigned char>(text[i]) == 0xC2 && next >= 0x80 && next < 0xA0;
}

// Appends valid UTF-8, control characters as \u00XX and the characters of `escaped` behind a
// backslash.
void append_escaped(std::string& out, std::string_view text, std::string_view escaped) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else if (is_c1(text, i)) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(text[++i]));
    } else {
      if (escaped.find(text[i]) != std::string_view::npos) out += '\\';
      out += text[i];
    }
  }
}

}  // namespace

std::string valid_utf8(std::string_view text, std::size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  if (cut) {
    // Not inside a character: a cut must not look like bad input.
    std::size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, max_bytes - end < 4 ? end : max_bytes);
  }
  std::string out = simdjson::validate_utf8(text) ? std::string(text) : replace_invalid(text);
  if (cut) out += "...";
  return out;
}

void append_json_string(std::string& out, std::string_view text, std::size_t max_bytes) {
  out += '"';
  append_escaped(out, valid_utf8(text, max_bytes), "\"\\");
  out += '"';
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  append_escaped(out, valid_utf8(text, max_bytes), "");
  return out;
}

}  // namespace berth::observe
