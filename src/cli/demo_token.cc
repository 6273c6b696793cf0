#include "cli/demo_token.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "config/read_secret.h"
#include "console/token_file.h"

namespace berth::cli {

Result<DemoToken> DemoToken::in_private_folder() {
  std::error_code ignored;
  std::string folder =
      (std::filesystem::temp_directory_path(ignored) / "berth-demo-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    return fail(ErrorCode::kIo, fmt::format("cannot make a folder for the admin token, {}: {}",
                                            folder, strerror(errno)));
  }
  DemoToken result;
  result.folder_ = folder;
  result.path_ = folder + "/admin-token";
  auto token = console::write_token_file(result.path_);
  if (!token) return tl::unexpected(token.error());
  result.token_ = std::move(*token);
  return result;
}

Result<DemoToken> DemoToken::obtain(const std::string& path) {
  if (path.empty()) return in_private_folder();
  DemoToken result;
  result.path_ = path;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    std::vector<std::string> warnings;
    auto read = config::read_admin_token(path, warnings);
    if (!read) return tl::unexpected(read.error());
    result.token_ = std::move(read->value);
    if (!warnings.empty()) result.warning_ = warnings.front();
    return result;
  }
  auto written = console::write_token_file(path);
  if (!written) return tl::unexpected(written.error());
  result.token_ = std::move(*written);
  return result;
}

DemoToken::DemoToken(DemoToken&& other) noexcept
    : token_(std::move(other.token_)),
      path_(std::move(other.path_)),
      warning_(std::move(other.warning_)),
      folder_(std::exchange(other.folder_, {})) {}

DemoToken::~DemoToken() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace berth::cli
