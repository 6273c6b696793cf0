#include "config/printable.h"

namespace berth::config {
namespace {

// The bytes of the control character that `text` begins with, in UTF-8; 0 when it begins with none.
std::size_t control_length(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte < 0x20 || byte == 0x7f) return 1;
  const auto next = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0;
  if (byte == 0xC2 && next >= 0x80 && next < 0xA0) return 2;
  if (text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9")) return 3;
  return 0;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
  const bool cut = text.size() > longest;
  if (cut) {
    std::size_t end = longest;
    while (end > 0 && !begins_character(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string out;
  while (!text.empty()) {
    const std::size_t control = control_length(text);
    out += control > 0 ? '?' : text.front();
    text.remove_prefix(control > 0 ? control : 1);
  }
  return cut ? out + "..." : out;
}

}  // namespace berth::config
