// What check-config prints.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/listing.h"
#include "config/load.h"
#include "config/text_rules.h"

namespace berth::config {
namespace {

using Json = nlohmann::ordered_json;

// A long value does not push every source to the right of the screen.
constexpr std::size_t kWidestValue = 44;

struct Widths {
  std::size_t name = 0;
  std::size_t value = 0;
};

std::string shown(const Row& row) {
  if (row.value.empty()) return row.note;
  return row.note.empty() ? row.value : row.value + " " + row.note;
}

Widths measure(const std::vector<Group>& groups) {
  Widths widths;
  for (const Group& group : groups) {
    for (const Row& row : group.rows) {
      widths.name = std::max(widths.name, row.name.size());
      const std::size_t width = shown(row).size();
      if (width <= kWidestValue) widths.value = std::max(widths.value, width);
    }
  }
  return widths;
}

std::string heading(const Group& group) {
  if (group.list == "model" && group.entry.empty()) return "[[model]] (any)";
  return fmt::format("[[{}]] {}", group.list, group.entry);
}

std::string section_of(const Row& row) {
  const std::size_t dot = row.name.find('.');
  return dot == std::string::npos ? std::string() : row.name.substr(0, dot);
}

void print_group(std::string& out, const Group& group, const Widths& widths) {
  if (!group.list.empty()) out += fmt::format("\n{}\n", heading(group));
  std::string section;
  for (const Row& row : group.rows) {
    if (group.list.empty() && section_of(row) != section) {
      section = section_of(row);
      out += "\n";
    }
    out += fmt::format("{:<{}}  {:<{}}  {}\n", row.name, widths.name, shown(row), widths.value,
                       row.source);
  }
}

// The value in JSON's own type; null where nothing is set. Durations and sizes stay text, with
// their unit.
Json json_value(const Row& row) {
  if (row.value.empty()) return nullptr;
  if (row.type == "true or false") return row.value == "true";
  const bool digits = row.value.find_first_not_of("0123456789") == std::string::npos;
  if (row.type.starts_with("number") && digits) return std::stoull(row.value);
  if (row.type != "list of texts") return row.value;
  Json items = Json::array();
  for (const std::string_view item : split_words(row.value)) items.push_back(item);
  return items;
}

Json json_rows(const Group& group) {
  Json rows = Json::array();
  for (const Row& row : group.rows) {
    Json item = {{"key", row.name}, {"value", json_value(row)}, {"source", row.source}};
    if (!row.note.empty()) item["note"] = row.note;
    rows.push_back(std::move(item));
  }
  return rows;
}

}  // namespace

std::string describe(const Config& config) {
  const std::vector<Group> groups = list_settings(config);
  const Widths widths = measure(groups);
  std::string out;
  for (const Group& group : groups) print_group(out, group, widths);
  if (!config.warnings.empty()) out += "\n";
  for (const std::string& warning : config.warnings) out += fmt::format("warning: {}\n", warning);
  return out;
}

std::string describe_json(const Config& config) {
  Json out = {{"valid", true}};
  for (const char* list : {"settings", "servers", "models", "client_keys"})
    out[list] = Json::array();
  for (const Group& group : list_settings(config)) {
    if (group.list.empty()) {
      out["settings"] = json_rows(group);
    } else {
      out[group.list + "s"].push_back({{"name", group.entry}, {"settings", json_rows(group)}});
    }
  }
  out["warnings"] = config.warnings;
  // A path or a name may hold bytes that are not UTF-8; they must not end the program.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace berth::config
