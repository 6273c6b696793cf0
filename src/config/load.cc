#include "config/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "config/draft.h"
#include "config/printable.h"
#include "config/read_file.h"
#include "config/read_secret.h"
#include "config/read_toml.h"

namespace berth::config {
namespace {

std::optional<std::string> file_to_read(const std::optional<std::string>& file,
                                        const std::map<std::string, std::string>& environment) {
  if (file) return file;
  const auto variable = environment.find("BERTH_CONFIG");
  if (variable == environment.end() || variable->second.empty()) return std::nullopt;
  return variable->second;
}

// A secret in the file itself makes the file a secret.
void warn_about_inline_secrets(const std::string& path, Draft& draft) {
  const bool inline_secret =
      std::any_of(draft.origins.begin(), draft.origins.end(), [](const auto& origin) {
        const std::string& key = origin.first;
        return origin.second.at.line != 0 &&
               (key == "upstream_api_key" || key.ends_with("].api_key") || key.ends_with("].key"));
      });
  if (inline_secret) warn_if_open_to_all(path, draft.config.warnings);
}

// False and a problem when the text is no TOML at all.
bool apply_text(const std::string& path, std::string_view text, Draft& draft) {
  const auto root = read_toml(text);
  if (!root) {
    draft.problems.add(file_origin(path, root.error().at),
                       "not valid TOML: " + root.error().message);
    return false;
  }
  apply_file(path, *root, draft);
  warn_about_inline_secrets(path, draft);
  return true;
}

bool apply_file_at(const std::string& path, Draft& draft) {
  const auto content = read_file(path);
  if (content) return apply_text(path, *content, draft);
  draft.problems.add({path, path, {}}, "cannot be read: " + content.error().message);
  return false;
}

Result<Config> finish(Draft draft) {
  read_secrets(draft);
  check_together(draft);
  if (!draft.problems.empty()) return tl::unexpected(draft.problems.error());
  for (std::string& warning : draft.config.warnings) {
    warning = printable(warning, Problems::kLongest);
  }
  for (const auto& [key, origin] : draft.origins) draft.config.sources[key] = origin.text;
  return std::move(draft.config);
}

}  // namespace

Result<Config> load(const std::optional<std::string>& file,
                    const std::map<std::string, std::string>& environment,
                    const Overrides& overrides) {
  Draft draft;
  const auto path = file_to_read(file, environment);
  if (path && !apply_file_at(*path, draft)) return tl::unexpected(draft.problems.error());
  apply_environment(environment, draft);
  apply_flags(overrides.flags, draft);
  if (!overrides.urls.empty()) replace_servers(overrides.urls, named_origin("command line"), draft);
  return finish(std::move(draft));
}

Result<Config> load_text(const std::string& path, std::string_view text) {
  Draft draft;
  if (!apply_text(path, text, draft)) return tl::unexpected(draft.problems.error());
  return finish(std::move(draft));
}

}  // namespace berth::config
