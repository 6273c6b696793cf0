// Layer 2: the top level and the sections of the file.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "config/draft.h"
#include "config/file_paths.h"
#include "config/printable.h"

namespace berth::config {
namespace {

constexpr std::array<std::string_view, 5> kSections = {"identity", "defaults", "routing",
                                                       "timeouts", "limits"};
constexpr std::array<std::string_view, 3> kLists = {"server", "model", "client_key"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "timeouts" of "timeouts.drain", empty at the top level.
std::string_view section_of(std::string_view key) {
  const std::size_t dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }

// A key that exists, but elsewhere: TOML's commonest trap is a top-level key below a [section].
std::string right_place(std::string_view name, std::string_view section) {
  for (const Key<Config>& key : config_keys()) {
    if (last_part(key.name) != name || section_of(key.name) == section) continue;
    const std::string_view home = section_of(key.name);
    if (home.empty()) {
      return fmt::format("; {} belongs at the top of the file, before the first [section]", name);
    }
    return fmt::format("; {} belongs in [{}]", name, home);
  }
  return {};
}

std::string unknown_key_hint(std::string_view name, std::string_view section) {
  std::string place = right_place(name, section);
  if (!place.empty()) return place;
  std::vector<std::string_view> candidates;
  for (const Key<Config>& key : config_keys()) {
    if (section_of(key.name) == section) candidates.push_back(last_part(key.name));
  }
  if (section.empty()) {
    candidates.insert(candidates.end(), kSections.begin(), kSections.end());
    candidates.insert(candidates.end(), kLists.begin(), kLists.end());
  }
  return did_you_mean(name, candidates);
}

void apply_value(const std::string& path, std::string_view section, const Entry& entry,
                 Draft& draft) {
  const std::string name = section.empty() ? entry.key : fmt::format("{}.{}", section, entry.key);
  const Key<Config>* key = find_key(config_keys(), name);
  if (key == nullptr || section_of(name) != section) {
    draft.problems.add(
        file_origin(path, entry.key_at),
        fmt::format("{}: unknown key{}", printable(name), unknown_key_hint(entry.key, section)));
    return;
  }
  const Origin origin = file_origin(path, entry.node.at);
  const Slot slot = key->slot(draft.config);
  if (const auto problem = write(slot, key->rule, entry.node)) {
    draft.problems.add(origin, fmt::format("{}: {}", name, *problem));
    return;
  }
  rebase_path(path, key->rule, slot);
  draft.origins[name] = origin;
}

void apply_section(const std::string& path, const Entry& entry, Draft& draft) {
  const Table* table = std::get_if<Table>(&entry.node.value);
  if (table == nullptr) {
    const bool list = std::holds_alternative<List>(entry.node.value);
    draft.problems.add(
        file_origin(path, entry.key_at),
        list ? fmt::format("{0}: there is only one; write [{0}], not [[{0}]]", entry.key)
             : fmt::format("{0}: expected a section, written [{0}], found {1}", entry.key,
                           describe_node(entry.node)));
    return;
  }
  for (const Entry& value : *table) apply_value(path, entry.key, value, draft);
}

// The entries of a list of tables, or null and a problem.
const List* entries_of(const std::string& path, const Entry& entry, Draft& draft) {
  const List* list = std::get_if<List>(&entry.node.value);
  const bool tables = list != nullptr && std::all_of(list->begin(), list->end(), [](const Node& n) {
                        return std::holds_alternative<Table>(n.value);
                      });
  if (tables) return list;
  const bool single = std::holds_alternative<Table>(entry.node.value);
  draft.problems.add(
      file_origin(path, entry.key_at),
      single ? fmt::format("{0}: there may be several; write [[{0}]], not [{0}]", entry.key)
             : fmt::format("{0}: expected entries, each begun with [[{0}]], found {1}", entry.key,
                           describe_node(entry.node)));
  return nullptr;
}

}  // namespace

void apply_file(const std::string& path, const Table& root, Draft& draft) {
  const List* models = nullptr;
  for (const Entry& entry : root) {
    if (contains(kSections, entry.key)) {
      apply_section(path, entry, draft);
    } else if (contains(kLists, entry.key)) {
      const List* entries = entries_of(path, entry, draft);
      if (entries == nullptr) continue;
      if (entry.key == "server") apply_servers(path, *entries, draft);
      if (entry.key == "client_key") apply_client_keys(path, *entries, draft);
      if (entry.key == "model") models = entries;
    } else {
      apply_value(path, "", entry, draft);
    }
  }
  if (models != nullptr) apply_models(path, *models, draft);
}

}  // namespace berth::config
