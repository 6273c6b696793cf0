#include "config/check_paths.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/keyed_hash.h"
#include "config/printable.h"
#include "config/problems.h"

namespace berth::config {
namespace {

std::string why() { return std::strerror(errno); }

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Why nothing can be made in `folder`, or nothing.
std::optional<std::string> folder_problem(const std::string& folder) {
  struct stat info{};
  if (::stat(folder.c_str(), &info) != 0)
    return fmt::format("the folder {} cannot be used: {}", folder, why());
  if (!S_ISDIR(info.st_mode)) return fmt::format("{} is not a folder", folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return fmt::format("the folder {} cannot be written: {}", folder, why());
  return std::nullopt;
}

std::optional<std::string> log_problem(const std::string& path) {
  if (path.empty() || path == "-") return std::nullopt;
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return fmt::format("{} cannot be used: {}", path, why());
    return folder_problem(folder_of(path));
  }
  if (S_ISDIR(info.st_mode)) return fmt::format("{} is a folder, not a file", path);
  if (::access(path.c_str(), W_OK) != 0)
    return fmt::format("{} cannot be written: {}", path, why());
  return std::nullopt;
}

// The file of the key of hashes in a state directory that is there.
std::optional<std::string> key_problem(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;  // is made
  constexpr std::size_t kBytes = sizeof(KeyedHash::Key);
  if (!S_ISREG(info.st_mode)) return fmt::format("{} is not a file", path);
  if (::access(path.c_str(), R_OK) != 0) return fmt::format("{} cannot be read: {}", path, why());
  if (static_cast<std::size_t>(info.st_size) == kBytes) return std::nullopt;
  return fmt::format("{} is damaged: {} bytes instead of {}; remove it to start with a new key",
                     path, info.st_size, kBytes);
}

std::optional<std::string> state_problem(const std::string& directory) {
  if (directory.empty()) return std::nullopt;
  struct stat info{};
  if (::stat(directory.c_str(), &info) != 0) {
    if (errno != ENOENT) return fmt::format("{} cannot be used: {}", directory, why());
    // serve makes one folder, not those above it.
    const bool slash = directory.ends_with('/');
    return folder_problem(folder_of(slash ? directory.substr(0, directory.size() - 1) : directory));
  }
  if (const auto problem = folder_problem(directory)) return problem;
  return key_problem(directory + "/key");
}

}  // namespace

std::vector<std::string> check_paths(const Config& config) {
  std::vector<std::string> problems;
  const auto add = [&](const char* key, const std::optional<std::string>& problem) {
    if (!problem) return;
    const auto source = config.sources.find(key);
    const std::string place = source == config.sources.end() ? "" : source->second + ": ";
    problems.push_back(
        printable(fmt::format("{}{}: {}", place, key, *problem), Problems::kLongest));
  };
  add("access_log", log_problem(config.access_log));
  add("state_dir", state_problem(config.state_dir));
  return problems;
}

}  // namespace berth::config
