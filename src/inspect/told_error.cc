#include "inspect/told_error.h"

#include <array>
#include <charconv>
#include <utility>

namespace berth::inspect {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 17> kNames{{
    {"internal_error", 500},
    {"InternalServerError", 500},
    {"Internal Server Error", 500},
    {"api_error", 500},
    {"server_error", 500},
    {"NotImplementedError", 501},
    {"overloaded_error", 529},
    {"timeout_error", 504},
    {"rate_limit_error", 429},
    {"rate_limit_exceeded", 429},
    {"BadRequestError", 400},
    {"Bad Request", 400},
    {"invalid_request_error", 400},
    {"invalid_prompt", 400},
    {"authentication_error", 401},
    {"permission_error", 403},
    {"NotFoundError", 404},
}};

std::optional<int> error_status(std::string_view digits) {
  int number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end || number < 400 || number > 599) return std::nullopt;
  return number;
}

}  // namespace

JsonError ToldError::take(std::string_view key, JsonValue value) {
  if (key != "code" && key != "status" && key != "type") return simdjson::SUCCESS;
  const char first = first_char(value);
  if (first == '"') {
    take_name(text_of(value));
  } else if (first >= '0' && first <= '9' && !number_) {
    number_ = error_status(scalar_token(value));
  }
  return simdjson::SUCCESS;
}

void ToldError::take_name(std::string_view name) {
  if (!number_) number_ = error_status(name);
  for (const auto& [known, status] : kNames) {
    if (name == known && !by_name_) by_name_ = status;
  }
}

}  // namespace berth::inspect
