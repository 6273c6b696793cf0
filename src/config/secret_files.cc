#include "config/secret_files.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <sstream>

#include "base/check.h"
#include "config/read_file.h"
#include "config/read_secret.h"
#include "config/text_rules.h"
#include "config/value.h"

namespace berth::config {
namespace {

// The common key, from its file when it has one.
void read_upstream_key(Draft& draft) {
  Config& config = draft.config;
  if (!config.upstream_api_key_file.empty()) {
    auto key = read_secret(config.upstream_api_key_file, config.warnings);
    if (key) {
      config.upstream_api_key = std::move(*key);
    } else {
      draft.problems.add(draft.origin("upstream_api_key_file"),
                         "upstream_api_key_file: " + key.error().message);
    }
  }
  if (!config.upstream_api_key) return;
  const bool from_file = !config.upstream_api_key_file.empty();
  const Origin origin = draft.origin(from_file ? "upstream_api_key_file" : "upstream_api_key");
  for (Server& server : config.servers) {
    if (server.api_key || !server.api_key_file.empty()) continue;
    server.api_key = config.upstream_api_key;
    draft.origins[entry_key("server", server.url, "api_key")] = origin;
  }
}

void read_server_keys(Draft& draft) {
  for (Server& server : draft.config.servers) {
    if (server.api_key_file.empty()) continue;
    const Origin origin = draft.origin(entry_key("server", server.url, "api_key_file"));
    auto key = read_secret(server.api_key_file, draft.config.warnings);
    if (!key) {
      draft.problems.add(origin, "server.api_key_file: " + key.error().message);
      continue;
    }
    server.api_key = std::move(*key);
    draft.origins[entry_key("server", server.url, "api_key")] = origin;
  }
}

// One line of client_keys_file.
void read_client_key(std::string_view line, const Origin& origin, Draft& draft) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    draft.problems.add(origin, "expected a line NAME:KEY, or a comment after #");
    return;
  }
  std::string name(line.substr(0, colon));
  const std::string_view key = line.substr(colon + 1);
  if (const auto problem = apply_text_rule({.text = Text::kName}, name)) {
    draft.problems.add(origin, "the name before the colon " + *problem);
    return;
  }
  if (const auto problem = check_secret(key)) {
    draft.problems.add(origin, fmt::format("the key of \"{}\" {}", name, *problem));
    return;
  }
  draft.origins[entry_key("client_key", name, "sha256")] = origin;
  add_client_key({name, sha256_hex(key)}, origin, draft);
}

void read_client_keys(Draft& draft) {
  const std::string& path = draft.config.client_keys_file;
  if (path.empty()) return;
  const auto content = read_file(path);
  if (!content) {
    draft.problems.add(draft.origin("client_keys_file"),
                       "client_keys_file: " + cannot_read(path, content.error().message));
    return;
  }
  warn_if_open_to_all(path, draft.config.warnings);
  std::istringstream lines(*content);
  std::string line;
  for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    read_client_key(line, file_origin(path, {number, 1}), draft);
  }
}

void read_token_of_admin(Draft& draft) {
  const auto& path = draft.config.admin_token_file;
  if (!path || path->empty()) {
    draft.config.admin_token_file.reset();
    return;
  }
  auto token = read_admin_token(*path, draft.config.warnings);
  if (token) {
    draft.config.admin_token = std::move(*token);
  } else {
    draft.problems.add(draft.origin("admin_token_file"),
                       "admin_token_file: " + token.error().message);
  }
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  BERTH_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) ==
              1);
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

void add_client_key(ClientKey key, const Origin& origin, Draft& draft) {
  for (const ClientKey& other : draft.config.client_keys) {
    if (other.name == key.name) {
      draft.problems.add(origin, fmt::format("client_key.name: \"{}\" is already taken", key.name));
      return;
    }
    if (other.sha256_hex == key.sha256_hex) {
      draft.problems.add(origin,
                         fmt::format("client_key: \"{}\" and \"{}\" have the same key, so nobody "
                                     "could tell them apart",
                                     key.name, other.name));
      return;
    }
  }
  draft.config.client_keys.push_back(std::move(key));
}

void read_secrets(Draft& draft) {
  read_upstream_key(draft);
  read_server_keys(draft);
  read_client_keys(draft);
  read_token_of_admin(draft);
}

}  // namespace berth::config
