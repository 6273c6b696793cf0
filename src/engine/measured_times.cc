#include "engine/measured_times.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace berth::engine {
namespace {

constexpr std::size_t kFields = 4;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
    parts.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  parts.push_back(trimmed(text));
  return parts;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is wrong with the line, or the span.
tl::expected<MeasuredSpan, std::string> span_of(std::string_view line, std::uint32_t budget) {
  const std::vector<std::string_view> fields = split(line, ',');
  if (fields.size() != kFields) {
    return tl::unexpected(fmt::format("{} fields with commas between them are needed, not {}",
                                      kFields, fields.size()));
  }
  const auto first = number_of<std::uint32_t>(fields[1]);
  const auto second = number_of<std::uint32_t>(fields[2]);
  const auto seconds = number_of<double>(fields[3]);
  if (!first || !second) {
    return tl::unexpected(fmt::format("'{}' is no whole number", first ? fields[2] : fields[1]));
  }
  if (!seconds || !(*seconds > 0 && *seconds < 1e6)) {
    return tl::unexpected(fmt::format("'{}' is no time above 0 seconds", fields[3]));
  }
  if (fields[0] == "decode") {
    if (*first == 0) return tl::unexpected(std::string("a decode has at least one sequence"));
    return decode_span(*first, *second, *seconds);
  }
  if (fields[0] != "prompt") {
    return tl::unexpected(fmt::format("'{}' is neither prompt nor decode", fields[0]));
  }
  if (*second >= *first) {
    return tl::unexpected(fmt::format(
        "of {} tokens {} cannot be cached: the last is always computed", *first, *second));
  }
  return prompt_span(*first, *second, budget, *seconds);
}

}  // namespace

Result<std::vector<MeasuredSpan>> parse_measured_times(std::string_view text, std::string_view file,
                                                       std::uint32_t budget) {
  std::vector<MeasuredSpan> spans;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const auto span = span_of(line, budget);
    if (!span) {
      return fail(ErrorCode::kConfig, fmt::format("{}:{}: {}", file, number, span.error()));
    }
    spans.push_back(*span);
  }
  return spans;
}

Result<StepTime> parse_step_time(std::string_view text) {
  const std::vector<std::string_view> fields = split(text, ',');
  std::array<double, 5> values{};
  for (std::size_t i = 0; i < fields.size() && i < values.size(); ++i) {
    const auto value = number_of<double>(fields[i]);
    if (!value) {
      return fail(ErrorCode::kConfig, fmt::format("'{}' is no number of seconds", fields[i]));
    }
    values[i] = *value;
  }
  if (fields.size() != values.size()) {
    return fail(ErrorCode::kConfig,
                fmt::format("five numbers of seconds with commas between them are needed: base, "
                            "prefill_token, decode_seq, decode_context_token, attention; not {}",
                            fields.size()));
  }
  return StepTime{.base = values[0],
                  .prefill_token = values[1],
                  .decode_seq = values[2],
                  .decode_context_token = values[3],
                  .attention = values[4]};
}

std::string format_step_time(const StepTime& time) {
  return fmt::format("{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}", time.base, time.prefill_token,
                     time.decode_seq, time.decode_context_token, time.attention);
}

}  // namespace berth::engine
