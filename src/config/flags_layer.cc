// Layer 4: the command line; and what it shares with the environment.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "config/draft.h"
#include "config/server_url.h"

namespace berth::config {

void apply_flags(const std::map<std::string, std::string>& flags, Draft& draft) {
  for (const auto& [name, text] : flags) {
    const Key<Config>* key = find_key(config_keys(), name);
    BERTH_CHECK(key != nullptr);
    const Origin origin = named_origin(flag_name(name));
    if (const auto problem = write_text(key->slot(draft.config), key->rule, text)) {
      draft.problems.add(origin, *problem);
      continue;
    }
    draft.origins[name] = origin;
  }
}

void replace_servers(const std::vector<std::string>& urls, const Origin& origin, Draft& draft) {
  std::vector<Server> servers;
  for (const std::string& text : urls) {
    const auto url = normalize_server_url(text);
    if (!url) {
      draft.problems.add(origin, fmt::format("server URL: {}", url.error().message));
      continue;
    }
    const bool twice = std::any_of(servers.begin(), servers.end(),
                                   [&](const Server& server) { return server.url == *url; });
    if (twice) {
      draft.problems.add(origin, fmt::format("{} is named twice", *url));
      continue;
    }
    Server fresh;
    fresh.url = *url;
    const Server* known = find_server(draft.config, *url);
    servers.push_back(known != nullptr ? *known : fresh);
    draft.origins[entry_key("server", *url, "url")] = origin;
  }
  for (const Model& model : draft.config.models) {
    for (const std::string& url : model.servers) {
      const bool kept = std::any_of(servers.begin(), servers.end(),
                                    [&](const Server& server) { return server.url == url; });
      if (kept) continue;
      draft.problems.add(
          draft.origin(entry_key("model", model.name, "replicas")),
          fmt::format("model.replicas: {} is not among the servers named by {}", url, origin.text));
    }
  }
  draft.config.servers = std::move(servers);
}

}  // namespace berth::config
