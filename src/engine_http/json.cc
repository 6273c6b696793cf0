#include "engine_http/json.h"

namespace berth::engine_http {
namespace {

// The library reads without recursion but writes with it, so depth is bounded before anything is
// built.
bool too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  if (too_deep(text)) return std::nullopt;
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::string canonical(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string dump(const OrderedJson& value) {
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

const Json* member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string string_member(const Json& object, std::string_view name, std::string_view otherwise) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>()
                                                : std::string(otherwise);
}

bool bool_member(const Json& object, std::string_view name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

}  // namespace berth::engine_http
