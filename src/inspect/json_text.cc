#include "inspect/json_text.h"

#include <simdjson.h>

#include <algorithm>

namespace berth::inspect {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void append_escaped(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20) {
    out += c;
    return;
  }
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

// How many bytes the character at the start of `text` has, by its first byte; 1 when that is no
// first byte.
std::size_t character_size(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  const std::size_t size = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  return std::min(size, text.size());
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    std::size_t size = character_size(text);
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      append_escaped(text.front(), out);
    } else if (simdjson::validate_utf8(text.data(), size)) {
      out += text.substr(0, size);
    } else {
      out += kReplacement;
      size = 1;
    }
    text.remove_prefix(size);
  }
  out += '"';
  return out;
}

}  // namespace berth::inspect
