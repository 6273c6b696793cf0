// Layer 3: the environment.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/suggest.h"
#include "config/draft.h"
#include "config/text_rules.h"

namespace berth::config {
namespace {

constexpr std::string_view kPrefix = "BERTH_";
constexpr std::string_view kDefaults = "DEFAULTS_";  // variable_name() leaves it out
constexpr std::string_view kServers = "BERTH_SERVERS";
constexpr std::string_view kFile = "BERTH_CONFIG";  // read by load() before the layers
constexpr std::string_view kTests = "BERTH_TEST_";
constexpr std::string_view kAdminUrl =
    "BERTH_ADMIN_URL";  // of the commands that ask a running gateway

// Kubernetes puts variables about every Service of the namespace into every container. For a
// Service named "berth" or "berth-admin" they begin with BERTH_ and are not meant for us:
// BERTH_SERVICE_HOST, BERTH_SERVICE_PORT_HTTP, BERTH_PORT=tcp://10.0.0.1:80,
// BERTH_PORT_80_TCP_ADDR.
bool is_service_link(std::string_view name, std::string_view value) {
  if (name.ends_with("_SERVICE_HOST") || name.find("_SERVICE_PORT") != std::string_view::npos) {
    return true;
  }
  const bool port_part =
      name.find("_PORT_") != std::string_view::npos &&
      (name.find("_TCP") != std::string_view::npos || name.find("_UDP") != std::string_view::npos);
  const bool url = value.starts_with("tcp://") || value.starts_with("udp://");
  return port_part || (name.ends_with("_PORT") && url);
}

bool is_for_others(std::string_view name) {
  return name == kFile || name == kAdminUrl || name.starts_with(kTests);
}

// Names are compared without what they share.
std::string unknown_hint(std::string_view name) {
  name.remove_prefix(kPrefix.size());
  if (name.starts_with(kDefaults)) name.remove_prefix(kDefaults.size());
  if (name == "PORT" || name == "HOST") return "; did you mean \"BERTH_LISTEN\"?";
  std::vector<std::string> names = {std::string(kServers), std::string(kFile)};
  for (const Key<Config>& key : config_keys()) names.push_back(variable_name(key.name));
  std::vector<std::string_view> candidates(names.begin(), names.end());
  for (std::string_view& candidate : candidates) candidate.remove_prefix(kPrefix.size());
  const auto found = closest(name, candidates);
  return found ? fmt::format("; did you mean \"{}{}\"?", kPrefix, *found) : std::string();
}

void apply_servers_variable(std::string_view value, Draft& draft) {
  std::vector<std::string> urls;
  for (const std::string_view url : split_words(value)) urls.emplace_back(url);
  replace_servers(urls, named_origin(std::string(kServers)), draft);
}

void apply_variable(const Key<Config>& key, const std::string& name, const std::string& value,
                    Draft& draft) {
  const Origin origin = named_origin(name);
  if (const auto problem = write_text(key.slot(draft.config), key.rule, value)) {
    draft.problems.add(origin, *problem);
    return;
  }
  draft.origins[std::string(key.name)] = origin;
}

// A secret has two variables: NAME and NAME_FILE. One of them overrides both keys of the layers
// below.
void settle_upstream_key(bool value_given, bool file_given, Draft& draft) {
  if (value_given && file_given) {
    draft.problems.add(named_origin("BERTH_UPSTREAM_API_KEY_FILE"),
                       "BERTH_UPSTREAM_API_KEY is set, too; set one of them");
  } else if (value_given) {
    draft.config.upstream_api_key_file.clear();
    draft.origins.erase("upstream_api_key_file");
  } else if (file_given) {
    draft.config.upstream_api_key.reset();
    draft.origins.erase("upstream_api_key");
  }
}

}  // namespace

void apply_environment(const std::map<std::string, std::string>& environment, Draft& draft) {
  std::map<std::string, const Key<Config>*, std::less<>> by_variable;
  for (const Key<Config>& key : config_keys()) by_variable[variable_name(key.name)] = &key;
  const auto given = [&](const char* name) {
    const auto found = environment.find(name);
    return found != environment.end() && !found->second.empty();
  };
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(kPrefix) || is_for_others(name)) continue;
    const auto key = by_variable.find(name);
    if (key == by_variable.end() && name != kServers) {
      if (is_service_link(name, value)) continue;
      draft.problems.add(named_origin(name), "unknown variable" + unknown_hint(name));
      continue;
    }
    if (value.empty())
      continue;  // as if it were not set: what container tools do with empty settings
    if (name == kServers) {
      apply_servers_variable(value, draft);
    } else {
      apply_variable(*key->second, name, value, draft);
    }
  }
  settle_upstream_key(given("BERTH_UPSTREAM_API_KEY"), given("BERTH_UPSTREAM_API_KEY_FILE"), draft);
}

}  // namespace berth::config
