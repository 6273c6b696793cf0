#include "console/token_file.h"

#include <fmt/format.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "base/check.h"

namespace berth::console {
namespace {

constexpr std::size_t kMinLength = 16;
constexpr std::size_t kMaxLength = 4096;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

tl::unexpected<Error> io_error(std::string_view what, const std::string& path) {
  return fail(ErrorCode::kIo,
              fmt::format("cannot {} the admin token file {}: {}", what, path, strerror(errno)));
}

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string random_token() {
  std::array<unsigned char, 32> bytes;
  BERTH_CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace

Result<TokenFile> read_token_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "re"));
  if (!file) return io_error("open", path);
  struct stat info{};
  if (fstat(fileno(file.get()), &info) != 0) return io_error("examine", path);
  std::vector<char> buffer(kMaxLength + 2);
  const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), file.get());
  if (std::ferror(file.get()) != 0) return io_error("read", path);

  TokenFile result;
  result.token = trimmed(std::string(buffer.data(), length));
  if (result.token.size() < kMinLength || result.token.size() > kMaxLength) {
    return fail(ErrorCode::kConfig,
                fmt::format("the admin token in {} has {} characters; it must have {} to {}", path,
                            result.token.size(), kMinLength, kMaxLength));
  }
  if (!std::all_of(result.token.begin(), result.token.end(), is_visible)) {
    return fail(ErrorCode::kConfig, fmt::format("the admin token in {} must be one line of visible "
                                                "ASCII without spaces",
                                                path));
  }
  if ((info.st_mode & 077) != 0) {
    result.warning = fmt::format(
        "the admin token file {} has mode {:04o}: others may read it; "
        "`chmod 600 {}` closes it",
        path, info.st_mode & 07777, path);
  }
  return result;
}

Result<std::string> write_token_file(const std::string& path) {
  std::string temporary = path + ".XXXXXX";
  const int fd = mkostemp(temporary.data(), 0);  // mode 0600
  if (fd < 0) return io_error("create", path);
  std::string token = random_token();
  const std::string line = token + '\n';
  const bool written = write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const bool closed = close(fd) == 0;
  if (!written || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const auto error = io_error("write", path);
    unlink(temporary.c_str());
    return error;
  }
  return token;
}

}  // namespace berth::console
