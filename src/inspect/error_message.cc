#include "inspect/error_message.h"

#include <simdjson.h>

namespace berth::inspect {

namespace {

constexpr std::size_t kMaxBytes = 1024;

std::string cut(std::string_view text) { return std::string(text.substr(0, kMaxBytes)); }

}  // namespace

std::string error_message_of(std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(body.data(), body.size()).get(root) != simdjson::SUCCESS) return cut(body);
  std::string_view text;
  if (root["error"]["message"].get(text) == simdjson::SUCCESS) return cut(text);
  if (root["error"].get(text) == simdjson::SUCCESS) return cut(text);
  if (root["message"].get(text) == simdjson::SUCCESS) return cut(text);
  return cut(body);
}

}  // namespace berth::inspect
