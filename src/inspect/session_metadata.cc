#include "inspect/session_metadata.h"

#include "inspect/json_parse.h"

namespace berth::inspect {
namespace {

constexpr std::string_view kLegacyStart = "user_";
constexpr std::string_view kLegacyMark = "_session_";

std::string session_of_json(std::string_view text) {
  std::string padded;
  padded.reserve(text.size() + kPadding);
  padded = text;
  JsonParse parse(padded);
  JsonObject root;
  if (parse.root_object(root)) return {};
  std::string session;
  const JsonError error = for_each_member(root, [&](std::string_view key, JsonValue value) {
    if (key == "session_id") session = text_of(value);
    return simdjson::SUCCESS;
  });
  return error ? std::string() : session;
}

}  // namespace

std::string session_of_user_id(std::string_view user_id) {
  if (user_id.starts_with('{')) return session_of_json(user_id);
  const auto mark = user_id.rfind(kLegacyMark);
  if (!user_id.starts_with(kLegacyStart) || mark == std::string_view::npos) return {};
  return std::string(user_id.substr(mark + kLegacyMark.size()));
}

}  // namespace berth::inspect
