#include "config/listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/keys.h"
#include "config/names.h"

namespace berth::config {
namespace {

constexpr std::string_view kDefault = "default";
constexpr std::size_t kDigestShown = 12;

std::string source_of(const Config& config, const std::string& key) {
  const auto found = config.sources.find(key);
  return found == config.sources.end() ? std::string(kDefault) : found->second;
}

bool is_zero(std::string_view value) { return value == "0" || value == "0s"; }

template <typename T>
Row row_of(const Config& config, const Key<T>& key, const T& object, const std::string& full) {
  const Slot slot = slot_of(key, object);
  Row row{full, std::string(key.name),   show(slot),
          {},   source_of(config, full), std::string(type_name(slot))};
  // A meaning in brackets is a remark; any other is the value that counts.
  if (row.value.empty()) (key.when_empty.starts_with('(') ? row.note : row.value) = key.when_empty;
  if (is_zero(row.value)) row.note = key.when_zero;
  return row;
}

// "auto" is shown as the number it comes to at the start: routing raises an assumed one when it
// sees more.
void explain_auto(Row& row, const std::optional<std::uint32_t>& max_num_seqs) {
  if (!row.value.empty() && row.value != "auto") return;
  row.value = fmt::format("{}", max_num_seqs.value_or(kAssumedMaxNumSeqs) / 4);
  row.note = max_num_seqs ? "(auto)" : "(auto, assumed)";
}

Group settings(const Config& config) {
  Group group;
  for (const Key<Config>& key : config_keys()) {
    Row row = row_of(config, key, config, std::string(key.name));
    if (key.name == "defaults.overflow_threshold") {
      explain_auto(row, config.model_defaults.max_num_seqs);
    }
    if (key.name == "identity.order" && row.value.empty()) {
      row.value = fmt::format("{}", fmt::join(kIdentityNames, ", "));
      row.note.clear();
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
  const auto& max_num_seqs =
      model.max_num_seqs ? model.max_num_seqs : config.model_defaults.max_num_seqs;
  for (const Key<Model>& key : model_keys()) {
    Row row = model_row(config, model, key);
    if (key.name == "overflow_threshold") explain_auto(row, max_num_seqs);
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
  group.rows.push_back(
      {entry_key("client_key", key.name, "sha256"), "sha256", digest, {}, source, "text"});
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
