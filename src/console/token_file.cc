#include "console/token_file.h"

#include <fmt/format.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/check.h"

namespace berth::console {
namespace {

tl::unexpected<Error> io_error(std::string_view what, const std::string& path) {
  return fail(ErrorCode::kIo,
              fmt::format("cannot {} the admin token file {}: {}", what, path, strerror(errno)));
}

std::string random_token() {
  std::array<unsigned char, 32> bytes;
  BERTH_CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace

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
