#include "config/reload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/keys.h"
#include "config/openness.h"

namespace berth::config {
namespace {

template <typename T>
std::string shown(const Key<T>& key, const T& object) {
  std::string value = show(slot_of(key, object));
  return value.empty() ? std::string(key.when_empty) : value;
}

template <typename T>
std::string change_of(const Key<T>& key, const T& before, const T& after) {
  std::string from = shown(key, before);
  std::string to = shown(key, after);
  if (from == to || key.rule.text == Text::kDigest) return "changed";
  return fmt::format("{} -> {}", from, to);
}

void keep_running_value(const Key<Config>& key, const Config& running, Config& next) {
  copy_value(slot_of(key, running), key.slot(next));
  const std::string name(key.name);
  next.sources.erase(name);
  const auto source = running.sources.find(name);
  if (source != running.sources.end()) next.sources[name] = source->second;
}

void compare_settings(const Config& running, const Config& loaded, ReloadPlan& plan) {
  for (const Key<Config>& key : config_keys()) {
    if (same_value(slot_of(key, running), slot_of(key, loaded))) continue;
    const std::string change = fmt::format("{}: {}", key.name, change_of(key, running, loaded));
    if (key.on_change == OnChange::kReload) {
      plan.changes.push_back(change);
      continue;
    }
    plan.needs_restart.push_back(
        fmt::format("{} needs a restart; until then {} stays in use", change, shown(key, running)));
    keep_running_value(key, running, plan.next);
  }
}

template <typename T>
const T* find_entry(const std::vector<T>& entries, const std::string& name,
                    std::string (*name_of)(const T&)) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const T& entry) { return name_of(entry) == name; });
  return found == entries.end() ? nullptr : &*found;
}

// Entries are the same entry when they have the same name.
template <typename T>
void compare_entries(std::string_view list, const std::vector<T>& before,
                     const std::vector<T>& after, std::string (*name_of)(const T&),
                     std::span<const Key<T>> keys, ReloadPlan& plan) {
  for (const T& entry : after) {
    const std::string name = name_of(entry);
    const T* old = find_entry(before, name, name_of);
    if (old == nullptr) plan.changes.push_back(fmt::format("{} {}: added", list, name));
    for (const Key<T>& key : keys) {
      if (old == nullptr || same_value(slot_of(key, *old), slot_of(key, entry))) continue;
      plan.changes.push_back(
          fmt::format("{} {}: {}: {}", list, name, key.name, change_of(key, *old, entry)));
    }
  }
  for (const T& entry : before) {
    if (find_entry(after, name_of(entry), name_of) == nullptr) {
      plan.changes.push_back(fmt::format("{} {}: removed", list, name_of(entry)));
    }
  }
}

std::string url_of(const Server& server) { return server.url; }
std::string name_of_model(const Model& model) { return model.name.empty() ? "(any)" : model.name; }
std::string name_of_key(const ClientKey& key) { return key.name; }

std::span<const Key<ClientKey>> digest_keys() {
  static const std::array<Key<ClientKey>, 1> keys = {
      {{"key", [](ClientKey& key) -> Slot { return &key.sha256_hex; }, {.text = Text::kDigest}}}};
  return keys;
}

}  // namespace

ReloadPlan plan_reload(const Config& running, const Config& loaded) {
  ReloadPlan plan;
  plan.next = loaded;
  compare_settings(running, loaded, plan);
  compare_entries<Server>("server", running.servers, loaded.servers, url_of, server_keys(), plan);
  compare_entries<Model>("model", running.models, loaded.models, name_of_model, model_keys(), plan);
  compare_entries<ClientKey>("client_key", running.client_keys, loaded.client_keys, name_of_key,
                             digest_keys(), plan);
  if (const auto listener = open_listener_problem(plan.next)) plan.refused = "listen: " + *listener;
  if (const auto admin = open_admin_problem(plan.next)) plan.refused = "admin: " + *admin;
  return plan;
}

}  // namespace berth::config
