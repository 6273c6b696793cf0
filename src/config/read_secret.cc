#include "config/read_secret.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "config/read_file.h"
#include "config/text_rules.h"

namespace berth::config {

Result<Secret> read_secret(const std::string& path, std::vector<std::string>& warnings) {
  const auto content = read_file(path);
  if (!content) return fail(ErrorCode::kConfig, cannot_read(path, content.error().message));
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t start = content->find_first_not_of(kBlanks);
  if (start == std::string::npos) return fail(ErrorCode::kConfig, cannot_read(path, "it is empty"));
  const std::size_t end = content->find_last_not_of(kBlanks);
  Secret secret{content->substr(start, end - start + 1)};
  if (const auto problem = check_secret(secret.value)) {
    return fail(ErrorCode::kConfig, fmt::format("the content of {} {}", path, *problem));
  }
  warn_if_open_to_all(path, warnings);
  return secret;
}

Result<Secret> read_admin_token(const std::string& path, std::vector<std::string>& warnings) {
  Result<Secret> token = read_secret(path, warnings);
  if (token && token->value.size() < kShortestToken) {
    return fail(ErrorCode::kConfig,
                fmt::format("the token in {} has {} characters; at least {} are needed", path,
                            token->value.size(), kShortestToken));
  }
  return token;
}

void warn_if_open_to_all(const std::string& path, std::vector<std::string>& warnings) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || (info.st_mode & (S_IROTH | S_IWOTH)) == 0) return;
  const bool readable = (info.st_mode & S_IROTH) != 0;
  std::string warning =
      fmt::format("{}: holds a secret, and every user of this machine can {} it; chmod o= it", path,
                  readable ? "read" : "write");
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
    warnings.push_back(std::move(warning));
  }
}

}  // namespace berth::config
