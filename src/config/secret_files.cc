#include "config/secret_files.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "config/text_rules.h"
#include "config/value.h"

namespace berth::config {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr std::size_t kShortestToken = 16;

tl::unexpected<Error> unreadable(std::string reason) {
  return fail(ErrorCode::kConfig, std::move(reason));
}

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
  const auto content = read_small_file(path);
  if (!content) {
    draft.problems.add(draft.origin("client_keys_file"),
                       "client_keys_file: " + cannot_read(path, content.error().message));
    return;
  }
  warn_if_world_readable(path, draft.config.warnings);
  std::istringstream lines(*content);
  std::string line;
  for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    read_client_key(line, file_origin(path, {number, 1}), draft);
  }
}

void read_admin_token(Draft& draft) {
  const auto& path = draft.config.admin_token_file;
  if (!path || path->empty()) {
    draft.config.admin_token_file.reset();
    return;
  }
  auto token = read_secret(*path, draft.config.warnings);
  if (token && token->value.size() < kShortestToken) {
    draft.problems.add(
        draft.origin("admin_token_file"),
        fmt::format("admin_token_file: the token in {} has {} characters; at least {} are needed",
                    *path, token->value.size(), kShortestToken));
  } else if (token) {
    draft.config.admin_token = std::move(*token);
  } else {
    draft.problems.add(draft.origin("admin_token_file"),
                       "admin_token_file: " + token.error().message);
  }
}

}  // namespace

std::string cannot_read(const std::string& path, std::string_view reason) {
  return fmt::format("cannot read {}: {}", path, reason);
}

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  BERTH_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) ==
              1);
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

Result<std::string> read_small_file(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return unreadable(std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return unreadable("it is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(std::strerror(errno));
  std::string content(kLargestFile + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (file.bad()) return unreadable(std::strerror(errno));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() > kLargestFile) return unreadable("it is larger than 1 MiB");
  return content;
}

Result<Secret> read_secret(const std::string& path, std::vector<std::string>& warnings) {
  const auto content = read_small_file(path);
  if (!content) return fail(ErrorCode::kConfig, cannot_read(path, content.error().message));
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t start = content->find_first_not_of(kBlanks);
  if (start == std::string::npos) return fail(ErrorCode::kConfig, cannot_read(path, "it is empty"));
  const std::size_t end = content->find_last_not_of(kBlanks);
  Secret secret{content->substr(start, end - start + 1)};
  if (const auto problem = check_secret(secret.value)) {
    return fail(ErrorCode::kConfig, fmt::format("the content of {} {}", path, *problem));
  }
  warn_if_world_readable(path, warnings);
  return secret;
}

void warn_if_world_readable(const std::string& path, std::vector<std::string>& warnings) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || (info.st_mode & S_IROTH) == 0)
    return;
  std::string warning = fmt::format(
      "{}: holds a secret, and every user of this machine can read it; chmod o= it", path);
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
    warnings.push_back(std::move(warning));
  }
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
  read_admin_token(draft);
}

}  // namespace berth::config
