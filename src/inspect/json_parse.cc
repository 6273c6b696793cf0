#include "inspect/json_parse.h"

#include <algorithm>
#include <bit>

namespace berth::inspect {
namespace {

// Small bodies share one size, so that the parser is not grown byte by byte as a conversation
// grows.
constexpr std::size_t kSmallestParserBytes = 64u << 10;

simdjson::ondemand::parser& thread_parser() {
  thread_local simdjson::ondemand::parser parser;
  return parser;
}

std::string_view without_trailing_space(std::string_view text) {
  const auto last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

JsonParse::~JsonParse() {
  auto& parser = thread_parser();
  if (parser.capacity() > kKeptParserBytes) parser = simdjson::ondemand::parser();
}

std::size_t JsonParse::kept_bytes() { return thread_parser().capacity(); }

JsonError JsonParse::root_object(JsonObject& out) {
  auto& parser = thread_parser();
  if (parser.capacity() < text_.size()) {
    const std::size_t wanted = std::bit_ceil(std::max(text_.size(), kSmallestParserBytes));
    if (JsonError error = parser.allocate(wanted)) return error;
  }
  const simdjson::padded_string_view padded(text_.data(), text_.size(), text_.size() + kPadding);
  if (JsonError error = parser.iterate(padded).get(document_)) return error;
  return document_.get_object().get(out);
}

std::string_view scalar_token(JsonValue value) {
  return without_trailing_space(value.raw_json_token());
}

std::string_view text_of(JsonValue value) {
  if (first_char(value) != '"') return {};
  const std::string_view raw = scalar_token(value);
  std::string_view text;
  if (value.get_string().get(text)) return raw;
  return text;
}

JsonError raw_value(JsonValue value, std::string_view& out) {
  const char first = first_char(value);
  if (first == '{') {
    JsonObject object;
    if (JsonError error = value.get_object().get(object)) return error;
    if (JsonError error = object.raw_json().get(out)) return error;
  } else if (first == '[') {
    simdjson::ondemand::array array;
    if (JsonError error = value.get_array().get(array)) return error;
    if (JsonError error = array.raw_json().get(out)) return error;
  } else {
    out = value.raw_json_token();
  }
  out = without_trailing_space(out);
  return simdjson::SUCCESS;
}

}  // namespace berth::inspect
