#include "config/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

namespace berth::config {
namespace {

struct TimeUnit {
  std::string_view name;
  std::int64_t milliseconds;
};
constexpr std::array<TimeUnit, 4> kTimeUnits = {
    {{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

// Far beyond any sensible value, far below what nanoseconds in 64 bits can hold.
constexpr double kLongestMilliseconds = 1000.0 * 24 * 3'600'000;

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array<SizeUnit, 7> kSizeUnits = {{{"gib", 1ull << 30},
                                                 {"mib", 1ull << 20},
                                                 {"kib", 1ull << 10},
                                                 {"gb", 1'000'000'000},
                                                 {"mb", 1'000'000},
                                                 {"kb", 1'000},
                                                 {"b", 1}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_while(std::string_view& text, bool (*wanted)(char)) {
  const auto end = std::find_if_not(text.begin(), text.end(), wanted);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

std::optional<double> parse_decimal(std::string_view digits) {
  if (digits.empty() || !is_digit(digits.front()) || !is_digit(digits.back())) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration::zero();
  double milliseconds = 0;
  std::size_t next_unit = 0;
  do {
    const auto number =
        parse_decimal(take_while(text, [](char c) { return is_digit(c) || c == '.'; }));
    const std::string_view name = take_while(text, [](char c) { return c >= 'a' && c <= 'z'; });
    const auto* const unit = std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                                          [&](const TimeUnit& u) { return u.name == name; });
    if (!number || unit == kTimeUnits.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(unit - kTimeUnits.begin());
    if (index < next_unit) return std::nullopt;
    next_unit = index + 1;
    milliseconds += *number * static_cast<double>(unit->milliseconds);
    if (milliseconds > kLongestMilliseconds) return std::nullopt;
  } while (!text.empty());
  return std::chrono::round<Duration>(std::chrono::duration<double, std::milli>(milliseconds));
}

std::string format_duration(Duration duration) {
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(duration);
  if (whole.count() == 0) return "0s";
  for (const TimeUnit& unit : kTimeUnits) {
    if (whole.count() % unit.milliseconds == 0) {
      return fmt::format("{}{}", whole.count() / unit.milliseconds, unit.name);
    }
  }
  return fmt::format("{}ms", whole.count());
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::string_view digits = take_while(text, is_digit);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc()) return std::nullopt;
  if (text.empty()) return value;
  if (text.front() == ' ') text.remove_prefix(1);
  std::string name(text);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const SizeUnit& unit : kSizeUnits) {
    if (unit.name != name) continue;
    if (value > std::numeric_limits<std::uint64_t>::max() / unit.bytes) return std::nullopt;
    return value * unit.bytes;
  }
  return std::nullopt;
}

std::string format_size(std::uint64_t bytes) {
  if (bytes != 0 && bytes % (1ull << 30) == 0) return fmt::format("{}GiB", bytes >> 30);
  if (bytes != 0 && bytes % (1ull << 20) == 0) return fmt::format("{}MiB", bytes >> 20);
  if (bytes != 0 && bytes % (1ull << 10) == 0) return fmt::format("{}KiB", bytes >> 10);
  return fmt::format("{}B", bytes);
}

}  // namespace berth::config
