// Layer 2: [[server]] and [[client_key]].
#include <algorithm>

#include "config/draft.h"
#include "config/read_entry.h"
#include "config/read_secret.h"
#include "config/secret_files.h"

namespace berth::config {
namespace {

constexpr std::string_view kServer = "server";
constexpr std::string_view kClientKey = "client_key";

void add_server(Server server, const EntryOrigins& origins, Draft& draft) {
  if (!origins.has("url")) {
    draft.problems.add(origins.entry, "server: url is missing");
    return;
  }
  if (origins.failed.contains("url")) return;
  if (origins.has("api_key") && origins.has("api_key_file")) {
    draft.problems.add(origins.of("api_key_file"),
                       "server.api_key_file: api_key is set, too; give one of them");
  }
  if (find_server(draft.config, server.url) != nullptr) {
    draft.problems.add(
        origins.of("url"),
        fmt::format("server.url: {} is already the url of the server at {}", server.url,
                    draft.origin(entry_key(kServer, server.url, "url")).text));
    return;
  }
  for (const Server& other : draft.config.servers) {
    if (server.name.empty() || other.name != server.name) continue;
    draft.problems.add(
        origins.of("name"),
        fmt::format("server.name: \"{}\" is already the name of {}", server.name, other.url));
  }
  for (const auto& [key, origin] : origins.keys) {
    draft.origins[entry_key(kServer, server.url, key)] = origin;
  }
  draft.config.servers.push_back(std::move(server));
}

// The digest of the key the entry gives in one of three ways, or nothing and a problem.
std::optional<std::string> digest_of(const ClientKeyEntry& entry, const EntryOrigins& origins,
                                     Draft& draft) {
  const int given = static_cast<int>(origins.has("key")) +
                    static_cast<int>(origins.has("key_file")) +
                    static_cast<int>(origins.has("sha256"));
  if (given != 1) {
    draft.problems.add(
        origins.entry,
        fmt::format("client_key: give exactly one of key_file, sha256 and key; {} are given",
                    given));
    return std::nullopt;
  }
  if (!origins.failed.empty()) return std::nullopt;
  if (origins.has("sha256")) return entry.sha256;
  if (entry.key) return sha256_hex(entry.key->value);
  const Result<Secret> key = read_secret(entry.key_file, draft.config.warnings);
  if (key) return sha256_hex(key->value);
  draft.problems.add(origins.of("key_file"), "client_key.key_file: " + key.error().message);
  return std::nullopt;
}

}  // namespace

Server* find_server(Config& config, const std::string& url) {
  const auto found = std::find_if(config.servers.begin(), config.servers.end(),
                                  [&](const Server& server) { return server.url == url; });
  return found == config.servers.end() ? nullptr : &*found;
}

void apply_servers(const std::string& path, const List& entries, Draft& draft) {
  for (const Node& entry : entries) {
    Server server;
    const EntryOrigins origins = read_entry<Server>(path, kServer, std::get<Table>(entry.value),
                                                    entry.at, server_keys(), {}, server, draft);
    add_server(std::move(server), origins, draft);
  }
}

void apply_client_keys(const std::string& path, const List& entries, Draft& draft) {
  for (const Node& node : entries) {
    ClientKeyEntry entry;
    const EntryOrigins origins =
        read_entry<ClientKeyEntry>(path, kClientKey, std::get<Table>(node.value), node.at,
                                   client_key_keys(), {}, entry, draft);
    if (!origins.has("name")) {
      draft.problems.add(origins.entry, "client_key: name is missing; it is the tenant's name");
      continue;
    }
    const auto digest = digest_of(entry, origins, draft);
    if (!digest) continue;
    add_client_key({entry.name, *digest}, origins.of("name"), draft);
    for (const auto& [key, origin] : origins.keys) {
      draft.origins[entry_key(kClientKey, entry.name, key)] = origin;
    }
  }
}

}  // namespace berth::config
