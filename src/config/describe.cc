// What check-config prints.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/listing.h"
#include "config/load.h"

namespace berth::config {
namespace {

// A long value does not push every source to the right of the screen.
constexpr std::size_t kWidestValue = 44;

struct Widths {
  std::size_t name = 0;
  std::size_t value = 0;
};

Widths measure(const std::vector<Group>& groups) {
  Widths widths;
  for (const Group& group : groups) {
    for (const Row& row : group.rows) {
      widths.name = std::max(widths.name, row.name.size());
      if (row.value.size() <= kWidestValue) widths.value = std::max(widths.value, row.value.size());
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
    out += fmt::format("{:<{}}  {:<{}}  {}\n", row.name, widths.name, row.value, widths.value,
                       row.source);
  }
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
  using Json = nlohmann::ordered_json;
  Json out = {
      {"valid", true},           {"settings", Json::array()},    {"servers", Json::array()},
      {"models", Json::array()}, {"client_keys", Json::array()}, {"warnings", config.warnings}};
  for (const Group& group : list_settings(config)) {
    Json rows = Json::array();
    for (const Row& row : group.rows) {
      rows.push_back({{"key", row.name}, {"value", row.value}, {"source", row.source}});
    }
    if (group.list.empty()) {
      out["settings"] = std::move(rows);
    } else {
      out[group.list + "s"].push_back({{"name", group.entry}, {"settings", std::move(rows)}});
    }
  }
  // A path or a name may hold bytes that are not UTF-8; they must not end the program.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace berth::config
