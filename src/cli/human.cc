#include "cli/human.h"

#include <fmt/format.h>

#include <cmath>

namespace berth::cli {
namespace {

std::string two_units(std::uint64_t big, std::string_view big_unit, std::uint64_t small,
                      std::string_view small_unit) {
  if (small == 0) return fmt::format("{} {}", big, big_unit);
  return fmt::format("{} {} {} {}", big, big_unit, small, small_unit);
}

}  // namespace

std::string thousands(std::uint64_t n) {
  std::string text = fmt::format("{}", n);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string compact(std::uint64_t n) {
  if (n < 1'000) return fmt::format("{}", n);
  const auto value = static_cast<double>(n);
  if (n < 999'950) return fmt::format("{:.1f}k", value / 1e3);
  return fmt::format("{:.2f}M", value / 1e6);
}

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f}%", *share * 100) : "-";
}

std::string duration(double seconds) {
  if (!(seconds > 0)) return "0 s";
  const double tenths = std::round(seconds * 10);
  if (tenths < 100 && std::fmod(tenths, 10) != 0) return fmt::format("{:.1f} s", tenths / 10);
  const auto s = static_cast<std::uint64_t>(std::llround(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3'600) return two_units(s / 60, "min", s % 60, "s");
  if (s < 86'400) return two_units(s / 3'600, "h", s % 3'600 / 60, "min");
  return two_units(s / 86'400, "d", s % 86'400 / 3'600, "h");
}

std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", thousands(n), noun, n == 1 ? "" : "s");
}

}  // namespace berth::cli
