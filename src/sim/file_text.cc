#include "sim/file_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace berth::sim {

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return fail(ErrorCode::kIo, fmt::format("cannot read {}: it is a folder", path));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(ErrorCode::kIo, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return fail(ErrorCode::kIo, fmt::format("cannot read {} to its end", path));
  return text;
}

Result<std::vector<std::string>> files_of(const std::string& path, const std::string& ending) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.path().extension() == ending) files.push_back(entry.path().string());
  }
  if (files.empty()) {
    return fail(ErrorCode::kIo,
                fmt::format("there is no file with the ending {} in {}", ending, path));
  }
  std::sort(files.begin(), files.end());
  return files;
}

tl::unexpected<Error> wrong_row(const std::string& path, std::size_t line, const std::string& field,
                                const std::string& what) {
  return fail(ErrorCode::kConfig, fmt::format("{}:{}: {}: {}", path, line, field, what));
}

}  // namespace berth::sim
