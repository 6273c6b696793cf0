#include "engine_http/fault_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace berth::engine_http {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Part {
  std::string_view name;
  std::optional<std::string_view> value;
};

Part split(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool apply_refusal(const Part& part, FaultPlan& plan) {
  constexpr std::string_view kPrefix = "refuse-";
  if (part.value || !part.name.starts_with(kPrefix)) return false;
  const auto status = number(part.name.substr(kPrefix.size()));
  if (!status || *status < 400 || *status > 599) return false;
  plan.refuse = static_cast<int>(*status);
  return true;
}

bool apply_stream_fault(const Part& part, FaultPlan& plan) {
  if (part.name == "die-after-head" && !part.value) {
    plan.stream_fault = StreamFault::kDie;
    plan.stream_tokens = 0;
    return true;
  }
  if (part.name == "die-mid-stream") {
    plan.stream_fault = StreamFault::kDie;
  } else if (part.name == "hang-mid-stream") {
    plan.stream_fault = StreamFault::kHang;
  } else if (part.name == "error-mid-stream") {
    plan.stream_fault = StreamFault::kError;
  } else {
    return false;
  }
  if (!part.value) return true;
  const auto tokens = number(*part.value);
  if (tokens) plan.stream_tokens = *tokens;
  return tokens.has_value();
}

bool apply_delay(const Part& part, FaultPlan& plan) {
  const auto value = part.value ? number(*part.value) : std::nullopt;
  if (!value) return false;
  if (part.name == "retry-after") {
    plan.retry_after = *value;
  } else if (part.name == "slow-first-byte") {
    plan.slow_first_byte = std::chrono::milliseconds(*value);
  } else {
    return false;
  }
  return true;
}

bool apply(const Part& part, FaultPlan& plan) {
  if (part.name == "hang" && !part.value) return plan.hang = true;
  if (part.name == "die-before-first-byte" && !part.value) return plan.die_before_first_byte = true;
  return apply_refusal(part, plan) || apply_stream_fault(part, plan) || apply_delay(part, plan);
}

}  // namespace

Result<FaultPlan> parse_fault_plan(std::string_view text) {
  FaultPlan plan;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = trim(text.substr(0, comma));
    if (!part.empty() && !apply(split(part), plan)) {
      return fail(ErrorCode::kBadRequest,
                  fmt::format("{}: unknown fault '{}'", kFaultHeader, part));
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return plan;
}

}  // namespace berth::engine_http
