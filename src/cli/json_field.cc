#include "cli/json_field.h"

namespace berth::cli {

const console::Json& field(const console::Json& object, const char* name) {
  static const console::Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::optional<std::uint64_t> as_count(const console::Json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::optional<double> as_number(const console::Json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::string as_text(const console::Json& value) {
  if (!value.is_string()) return {};
  auto text = value.get<std::string>();
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

}  // namespace berth::cli
