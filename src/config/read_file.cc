#include "config/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "config/units.h"

namespace berth::config {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> system_error() {
  const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kConfig;
  return fail(code, std::strerror(errno));
}

// What it is instead of a file, or null.
const char* other_kind(mode_t mode) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "it is a folder, not a file";
  if (S_ISFIFO(mode)) return "it is a named pipe, not a file";
  if (S_ISSOCK(mode)) return "it is a socket, not a file";
  return "it is a device, not a file";
}

tl::unexpected<Error> too_large(std::size_t largest) {
  return fail(ErrorCode::kConfig, fmt::format("it is larger than {}", format_size(largest)));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t largest) {
  // Non-blocking: opening a pipe waits for its writer otherwise. Files do not care.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info{};
  // A socket cannot be opened, and open() does not say why.
  if (file.get() < 0 && (errno != ENXIO || ::stat(path.c_str(), &info) != 0)) return system_error();
  if (file.get() >= 0 && ::fstat(file.get(), &info) != 0) return system_error();
  if (const char* kind = other_kind(info.st_mode)) return fail(ErrorCode::kConfig, kind);
  if (static_cast<std::size_t>(info.st_size) > largest) return too_large(largest);
  // The size is a guess: it is 0 in /proc, and the file may grow. One byte more shows the end.
  std::string content(static_cast<std::size_t>(info.st_size) + 1, '\0');
  std::size_t length = 0;
  for (;;) {
    const ssize_t n = ::read(file.get(), content.data() + length, content.size() - length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error();
    if (n == 0) break;
    length += static_cast<std::size_t>(n);
    if (length > largest) return too_large(largest);
    if (length == content.size()) content.resize(2 * length);
  }
  content.resize(length);
  return content;
}

std::string cannot_read(const std::string& path, std::string_view reason) {
  return fmt::format("cannot read {}: {}", path, reason);
}

}  // namespace berth::config
