// Layer 2: [[model]], and the servers that models bring along.
#include <algorithm>
#include <array>

#include "config/draft.h"
#include "config/printable.h"
#include "config/read_entry.h"
#include "config/server_url.h"

namespace berth::config {
namespace {

constexpr std::string_view kModel = "model";
constexpr std::array<std::string_view, 2> kExtraKeys = {kModelServer, kModelRanks};

// A server reference as written: a URL, or the name of a [[server]].
struct Reference {
  std::string text;
  std::string key;  // "model.replicas", for messages
  Origin origin;
};

std::optional<std::string> url_of_name(const Reference& reference, Draft& draft) {
  std::vector<std::string_view> names;
  for (const Server& server : draft.config.servers) {
    if (server.name == reference.text) return server.url;
    if (!server.name.empty()) names.push_back(server.name);
  }
  std::string hint = did_you_mean(reference.text, names);
  if (hint.empty()) hint = "; a URL begins with http:// or https://";
  draft.problems.add(reference.origin, fmt::format("{}: there is no server named \"{}\"{}",
                                                   reference.key, printable(reference.text), hint));
  return std::nullopt;
}

// The URL of the server meant. One that no [[server]] describes becomes a server of its own.
std::optional<std::string> resolve_reference(const Reference& reference, Draft& draft) {
  const bool is_url = reference.text.find("://") != std::string::npos ||
                      reference.text.find('@') != std::string::npos;
  if (!is_url) return url_of_name(reference, draft);
  const auto url = normalize_server_url(reference.text);
  if (!url) {
    draft.problems.add(reference.origin, fmt::format("{}: {}", reference.key, url.error().message));
    return std::nullopt;
  }
  if (find_server(draft.config, *url) == nullptr) {
    Server server;
    server.url = *url;
    draft.config.servers.push_back(server);
    draft.origins[entry_key("server", *url, "url")] = reference.origin;
  }
  return *url;
}

std::vector<Reference> references_of(const std::string& path, const Table& table,
                                     const Model& model, const EntryOrigins& origins,
                                     Draft& draft) {
  std::vector<Reference> references;
  for (const Entry& entry : table) {
    if (entry.key != "replicas" || model.servers.empty()) continue;
    for (const Node& item : std::get<List>(entry.node.value)) {
      references.push_back(
          {std::get<std::string>(item.value), "model.replicas", file_origin(path, item.at)});
    }
  }
  const auto server = origins.extra.find(kModelServer);
  if (server == origins.extra.end()) return references;
  if (origins.has("replicas")) {
    draft.problems.add(origins.of(kModelServer),
                       "model.server: replicas is set, too; server is short for a list of one");
    return references;
  }
  const std::string* text = std::get_if<std::string>(&server->second->value);
  if (text == nullptr) {
    draft.problems.add(
        origins.of(kModelServer),
        fmt::format("model.server: expected the URL or the name of a server, found {}",
                    describe_node(*server->second)));
    return references;
  }
  references.push_back({*text, "model.server", origins.of(kModelServer)});
  return references;
}

// data_parallel_size in a [[model]] is a property of its one server.
void apply_ranks(const Model& model, const EntryOrigins& origins, Draft& draft) {
  const auto found = origins.extra.find(kModelRanks);
  if (found == origins.extra.end()) return;
  const Origin origin = origins.of(kModelRanks);
  std::optional<std::uint32_t> ranks;
  if (const auto problem = write(&ranks, kRanksRule, *found->second)) {
    draft.problems.add(origin, "model.data_parallel_size: " + *problem);
    return;
  }
  if (model.servers.size() != 1) {
    draft.problems.add(origin,
                       fmt::format("model.data_parallel_size: belongs to one server, the model has "
                                   "{}; set it in each [[server]]",
                                   model.servers.size()));
    return;
  }
  Server* server = find_server(draft.config, model.servers.front());
  if (server->data_parallel_size && server->data_parallel_size != ranks) {
    const std::string key = entry_key("server", server->url, kModelRanks);
    draft.problems.add(
        origin,
        fmt::format("model.data_parallel_size: {} says {}, but {} says {} for {}", origin.text,
                    *ranks, draft.origin(key).text, *server->data_parallel_size, server->url));
    return;
  }
  server->data_parallel_size = ranks;
  draft.origins[entry_key("server", server->url, kModelRanks)] = origin;
}

// Reports names that are already taken.
void check_names(const Model& model, const EntryOrigins& origins, Draft& draft) {
  if (model.name.empty() && !model.aliases.empty()) {
    draft.problems.add(origins.of("aliases"), "model.aliases: a model with aliases needs a name");
  }
  for (const std::string& alias : model.aliases) {
    if (alias == model.name) {
      draft.problems.add(origins.of("aliases"),
                         fmt::format("model.aliases: \"{}\" is the model's own name", alias));
    }
  }
  const auto taken = [&](const std::string& name, std::string_view key) {
    for (const Model& other : draft.config.models) {
      const bool is_alias =
          std::find(other.aliases.begin(), other.aliases.end(), name) != other.aliases.end();
      if (other.name != name && !is_alias) continue;
      const std::string what =
          name.empty()
              ? "a second entry without a name; each but one needs one"
              : fmt::format("\"{}\" is already {} \"{}\"", name,
                            other.name == name ? "the name of model" : "an alias of", other.name);
      draft.problems.add(origins.of(key), fmt::format("model.{}: {}", key, what));
      return;
    }
  };
  taken(model.name, "name");
  for (const std::string& alias : model.aliases) taken(alias, "aliases");
}

}  // namespace

void apply_models(const std::string& path, const List& entries, Draft& draft) {
  for (const Node& entry : entries) {
    Model model;
    const Table& table = std::get<Table>(entry.value);
    const EntryOrigins origins =
        read_entry<Model>(path, kModel, table, entry.at, model_keys(), kExtraKeys, model, draft);
    const auto references = references_of(path, table, model, origins, draft);
    model.servers.clear();
    for (const Reference& reference : references) {
      const auto url = resolve_reference(reference, draft);
      if (!url) continue;
      if (std::find(model.servers.begin(), model.servers.end(), *url) != model.servers.end()) {
        draft.problems.add(reference.origin,
                           fmt::format("{}: {} is in the list twice", reference.key, *url));
        continue;
      }
      model.servers.push_back(*url);
    }
    apply_ranks(model, origins, draft);
    if (origins.failed.contains("name")) continue;
    check_names(model, origins, draft);
    for (const auto& [key, origin] : origins.keys) {
      const std::string_view shown = key == kModelServer ? "replicas" : key;
      if (key != kModelRanks) draft.origins[entry_key(kModel, model.name, shown)] = origin;
    }
    draft.config.models.push_back(std::move(model));
  }
}

}  // namespace berth::config
