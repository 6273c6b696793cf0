// Reads the table of one [[server]], [[model]] or [[client_key]] by its keys. Private to the file
// layer.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "config/draft.h"
#include "config/file_paths.h"
#include "config/printable.h"

namespace berth::config {

// What was read of one entry besides the object itself.
struct EntryOrigins {
  Origin entry;                             // of the table
  std::map<std::string_view, Origin> keys;  // of each key given, by the key's name
  std::map<std::string_view, const Node*>
      extra;  // the values of `extra_keys`, for the caller to read

  std::set<std::string_view> failed;  // keys whose value was refused; the problem is reported

  bool has(std::string_view key) const { return keys.contains(key); }
  Origin of(std::string_view key) const {
    const auto found = keys.find(key);
    return found == keys.end() ? entry : found->second;
  }
};

template <typename T>
void read_value(const std::string& path, std::string_view list, const Entry& entry,
                const Key<T>& key, T& object, EntryOrigins& origins, Draft& draft) {
  const Origin origin = file_origin(path, entry.node.at);
  const Slot slot = key.slot(object);
  origins.keys[key.name] = origin;
  if (const auto problem = write(slot, key.rule, entry.node)) {
    draft.problems.add(origin, fmt::format("{}.{}: {}", list, key.name, *problem));
    origins.failed.insert(key.name);
    return;
  }
  rebase_path(path, key.rule, slot);
}

// Writes the known keys of `table` into `object`; problems go to the draft. Values of `extra_keys`
// are only remembered.
template <typename T>
EntryOrigins read_entry(const std::string& path, std::string_view list, const Table& table,
                        Position at, std::span<const Key<T>> keys,
                        std::span<const std::string_view> extra_keys, T& object, Draft& draft) {
  EntryOrigins origins{file_origin(path, at), {}, {}, {}};
  std::vector<std::string_view> names(extra_keys.begin(), extra_keys.end());
  for (const Key<T>& key : keys) names.push_back(key.name);
  for (const Entry& entry : table) {
    if (const Key<T>* key = find_key(keys, entry.key)) {
      read_value(path, list, entry, *key, object, origins, draft);
      continue;
    }
    const auto extra = std::find(extra_keys.begin(), extra_keys.end(), entry.key);
    if (extra != extra_keys.end()) {
      origins.keys[*extra] = file_origin(path, entry.node.at);
      origins.extra[*extra] = &entry.node;
      continue;
    }
    draft.problems.add(file_origin(path, entry.key_at),
                       fmt::format("{}.{}: unknown key{}", list, printable(entry.key),
                                   did_you_mean(entry.key, names)));
  }
  return origins;
}

}  // namespace berth::config
