#include "config/listing.h"

#include <fmt/format.h>

#include "config/keys.h"

namespace berth::config {
namespace {

constexpr std::string_view kDefault = "default";
constexpr std::size_t kDigestShown = 12;

std::string source_of(const Config& config, const std::string& key) {
  const auto found = config.sources.find(key);
  return found == config.sources.end() ? std::string(kDefault) : found->second;
}

template <typename T>
Row row_of(const Config& config, const Key<T>& key, const T& object, const std::string& full) {
  std::string value = show(slot_of(key, object));
  if (value.empty()) value = key.when_empty;
  return {full, std::string(key.name), std::move(value), source_of(config, full)};
}

// What a quarter of max_num_seqs comes to, where it is known.
std::string shown_threshold(const Model& model) {
  if (!model.max_num_seqs) return "auto (max_num_seqs / 4)";
  return fmt::format("{} (auto)", *model.max_num_seqs / 4);
}

Group settings(const Config& config) {
  Group group;
  for (const Key<Config>& key : config_keys()) {
    Row row = row_of(config, key, config, std::string(key.name));
    if (key.name == "defaults.overflow_threshold" && !config.model_defaults.overflow_threshold) {
      row.value = shown_threshold(config.model_defaults);
    }
    group.rows.push_back(std::move(row));
  }
  return group;
}

Group server_group(const Config& config, const Server& server) {
  Group group{"server", server.url, {}};
  for (const Key<Server>& key : server_keys()) {
    group.rows.push_back(row_of(config, key, server, entry_key("server", server.url, key.name)));
  }
  return group;
}

// A routing setting of a model is the model's own or that of [defaults].
Row model_row(const Config& config, const Model& model, const Key<Model>& key) {
  const std::string own = entry_key("model", model.name, key.name);
  const std::string inherited = fmt::format("defaults.{}", key.name);
  const Key<Config>* fallback = find_key(config_keys(), inherited);
  Row row = row_of(config, key, model, own);
  if (fallback != nullptr && show(slot_of(key, model)).empty()) {
    row = row_of(config, *fallback, config, inherited);
    row.key = own;
    row.name = key.name;
  }
  return row;
}

Group model_group(const Config& config, const Model& model) {
  Group group{"model", model.name, {}};
  for (const Key<Model>& key : model_keys()) {
    Row row = model_row(config, model, key);
    if (key.name == "overflow_threshold" && row.value == "auto") {
      Model shown = model;
      if (!shown.max_num_seqs) shown.max_num_seqs = config.model_defaults.max_num_seqs;
      row.value = shown_threshold(shown);
    }
    group.rows.push_back(std::move(row));
  }
  return group;
}

Group client_key_group(const Config& config, const ClientKey& key) {
  Group group{"client_key", key.name, {}};
  std::string digest = key.sha256_hex.substr(0, kDigestShown) + "...";
  std::string source = std::string(kDefault);
  for (const char* name : {"sha256", "key_file", "key", "name"}) {
    const std::string full = entry_key("client_key", key.name, name);
    if (!config.sources.contains(full)) continue;
    source = source_of(config, full);
    break;
  }
  group.rows.push_back({entry_key("client_key", key.name, "sha256"), "sha256", digest, source});
  return group;
}

}  // namespace

std::vector<Group> list_settings(const Config& config) {
  std::vector<Group> groups = {settings(config)};
  for (const Server& server : config.servers) groups.push_back(server_group(config, server));
  for (const Model& model : config.models) groups.push_back(model_group(config, model));
  for (const ClientKey& key : config.client_keys) groups.push_back(client_key_group(config, key));
  return groups;
}

}  // namespace berth::config
