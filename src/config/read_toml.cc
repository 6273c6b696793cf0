#include "config/read_toml.h"

// The library's compiled form throws; its header-only form can return errors instead.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
// Version 3.3.0 asserts what it then checks and reports: "[/model]" would end the program, or with
// NDEBUG be assumed away. Fuzzing holds the code behind the assertions to memory safety.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>

#include "config/toml_characters.h"

namespace berth::config {
namespace {

Position position(const toml::source_region& region) {
  return {static_cast<std::uint32_t>(region.begin.line),
          static_cast<std::uint32_t>(region.begin.column)};
}

Node convert(const toml::node& node);

Table convert_table(const toml::table& table) {
  Table out;
  for (const auto& [key, value] : table) {
    out.push_back({std::string(key.str()), position(key.source()), convert(value)});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Entry& a, const Entry& b) { return a.key_at < b.key_at; });
  return out;
}

List convert_list(const toml::array& array) {
  List out;
  for (const toml::node& item : array) out.push_back(convert(item));
  return out;
}

Node convert(const toml::node& node) {
  const Position at = position(node.source());
  if (const auto* table = node.as_table()) return {convert_table(*table), at};
  if (const auto* array = node.as_array()) return {convert_list(*array), at};
  if (const auto* text = node.as_string()) return {text->get(), at};
  if (const auto* number = node.as_integer()) return {number->get(), at};
  if (const auto* number = node.as_floating_point()) return {number->get(), at};
  if (const auto* flag = node.as_boolean()) return {flag->get(), at};
  return {Date{}, at};
}

}  // namespace

tl::expected<Table, SyntaxError> read_toml(std::string_view text) {
  if (auto error = check_characters(text)) return tl::unexpected(std::move(*error));
  const toml::parse_result parsed = toml::parse(text);
  if (parsed) return convert_table(parsed.table());
  const toml::parse_error& error = parsed.error();
  return tl::unexpected(SyntaxError{position(error.source()), std::string(error.description())});
}

}  // namespace berth::config
