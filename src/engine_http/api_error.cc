#include "engine_http/api_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine_http/json.h"

namespace berth::engine_http {
namespace {

// ('body', 'messages', 0, 'role'), as Python prints it.
std::string location(std::string_view field) {
  std::string out = "('body'";
  while (!field.empty()) {
    const std::size_t dot = std::min(field.find('.'), field.size());
    const std::string_view part = field.substr(0, dot);
    const bool number =
        std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    out += number ? fmt::format(", {}", part) : fmt::format(", '{}'", part);
    field.remove_prefix(std::min(dot + 1, field.size()));
  }
  return out + (out == "('body'" ? ",)" : ")");
}

}  // namespace

tl::unexpected<ApiError> bad_request(std::string message, std::string param) {
  return tl::unexpected<ApiError>(
      ApiError{400, "BadRequestError", std::move(message), std::move(param), false});
}

tl::unexpected<ApiError> invalid_field(std::string_view kind, std::string_view field,
                                       std::string_view message) {
  return tl::unexpected<ApiError>(
      ApiError{400, "Bad Request",
               fmt::format("1 validation error:\n  {{'type': '{}', 'loc': {}, 'msg': '{}'}}", kind,
                           location(field), message),
               "", true});
}

tl::unexpected<ApiError> unknown_model(std::string_view model) {
  return tl::unexpected<ApiError>(ApiError{
      404, "NotFoundError", fmt::format("The model `{}` does not exist.", model), "model", false});
}

std::string openai_error_body(const ApiError& error) {
  OrderedJson inner;
  inner["message"] = error.message;
  inner["type"] = error.type;
  inner["param"] = error.param.empty() ? OrderedJson() : OrderedJson(error.param);
  inner["code"] = error.status;
  return dump({{"error", inner}});
}

std::string anthropic_error_body(const ApiError& error) {
  OrderedJson inner;
  inner["type"] = error.type;
  inner["message"] = error.message;
  OrderedJson body;
  body["type"] = "error";
  body["error"] = inner;
  return dump(body);
}

}  // namespace berth::engine_http
