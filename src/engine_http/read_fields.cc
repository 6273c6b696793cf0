#include "engine_http/read_fields.h"

#include <fmt/format.h>

#include <functional>

namespace berth::engine_http {

std::string image_text(std::string_view url) {
  return fmt::format("[image {:016x}]", std::hash<std::string_view>{}(url));
}

namespace {

// Nothing for a part without text.
std::optional<std::string> part_text(const Json& part) {
  if (part.is_string()) return part.get<std::string>();
  const std::string type = string_member(part, "type");
  if (type == "text" || type == "input_text" || type == "output_text") {
    return string_member(part, "text");
  }
  if (type == "input_image") return image_text(string_member(part, "image_url"));
  if (type == "image_url") {
    const Json* image = member(part, "image_url");
    if (image == nullptr) return std::nullopt;
    return image_text(image->is_string() ? image->get<std::string>()
                                         : string_member(*image, "url"));
  }
  return std::nullopt;
}

}  // namespace

std::string text_of(const Json* content) {
  if (content == nullptr) return {};
  if (content->is_string()) return content->get<std::string>();
  std::string text;
  bool first = true;
  if (!content->is_array()) return text;
  for (const Json& part : *content) {
    const std::optional<std::string> piece = part_text(part);
    if (!piece) continue;
    if (!first) text += '\n';
    text += *piece;
    first = false;
  }
  return text;
}

std::string canonical_arguments(std::string_view text) {
  const std::optional<Json> value = parse_json(text);
  return value ? canonical(*value) : std::string(text);
}

ApiResult<std::optional<std::uint64_t>> read_count(const Json& body, std::string_view field) {
  const Json* value = member(body, field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_integer()) {
    return invalid_field("int_type", field, "Input should be a valid integer");
  }
  // Signed and unsigned numbers compare by value.
  if (*value > 0) return value->get<std::uint64_t>();
  return bad_request(fmt::format("{} must be at least 1, got {}.", field, value->dump()),
                     std::string(field));
}

ApiResult<void> read_stream(const Json& body, GenerateRequest& request) {
  request.stream = bool_member(body, "stream");
  const Json* options = member(body, "stream_options");
  if (options == nullptr) return {};
  if (!request.stream) {
    return bad_request("Stream options can only be defined when `stream=True`.", "stream_options");
  }
  request.include_usage = bool_member(*options, "include_usage");
  request.continuous_usage =
      request.include_usage && bool_member(*options, "continuous_usage_stats");
  return {};
}

ApiResult<void> read_openai_options(const Json& body, GenerateRequest& request) {
  if (const Json* n = member(body, "n"); n != nullptr && *n != 1) {
    return bad_request("This simulated engine generates one choice: n must be 1.", "n");
  }
  if (const Json* salt = member(body, "cache_salt"); salt != nullptr) {
    if (!salt->is_string() || salt->get_ref<const std::string&>().empty()) {
      return bad_request("Parameter 'cache_salt' must be a non-empty string if provided.",
                         "cache_salt");
    }
    request.cache_salt = salt->get<std::string>();
  }
  request.ignore_eos = bool_member(body, "ignore_eos");
  request.request_id = string_member(body, "request_id");
  return {};
}

}  // namespace berth::engine_http
