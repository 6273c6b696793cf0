#include "inspect/canonical_text.h"

#include <algorithm>

namespace berth::inspect {
namespace {

constexpr std::string_view kAttribution = "x-anthropic-billing-header:";
constexpr std::string_view kReminder = "<system-reminder>";
constexpr std::string_view kReminderEnd = "</system-reminder>";

std::string_view without_leading_space(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

std::string_view without_attribution(std::string_view text, bool own_block) {
  if (!text.starts_with(kAttribution)) return text;
  const auto end = own_block ? std::string_view::npos : text.find('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
}

}  // namespace

std::string_view canonical_text(std::string_view text, bool own_block) {
  text = without_attribution(text, own_block);
  for (;;) {
    const std::string_view rest = without_leading_space(text);
    if (!rest.starts_with(kReminder)) return text;
    const auto end = rest.find(kReminderEnd);
    if (end == std::string_view::npos) return text;
    text = without_leading_space(rest.substr(end + kReminderEnd.size()));
  }
}

}  // namespace berth::inspect
