#include "observe/log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace berth::observe {

Result<LogFile> LogFile::open(const std::string& path) {
  if (path == "-") return LogFile(STDOUT_FILENO, false);
  // Non-blocking for the sake of named pipes; files do not care.
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
  const int fd = ::open(path.c_str(), kFlags, 0640);
  if (fd < 0) {
    return fail(ErrorCode::kIo, fmt::format("access log {}: {}", path, std::strerror(errno)));
  }
  return LogFile(fd, true);
}

LogFile LogFile::standard_error() { return LogFile(STDERR_FILENO, false); }

LogFile::LogFile(int fd, bool owned) : fd_(fd), owned_(owned) {
  struct stat info{};
  regular_ = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

LogFile::LogFile(LogFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      owned_(std::exchange(other.owned_, false)),
      regular_(other.regular_) {}

LogFile& LogFile::operator=(LogFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(owned_, other.owned_);
  std::swap(regular_, other.regular_);
  return *this;
}

LogFile::~LogFile() {
  if (owned_) ::close(fd_);
}

LogFile::Step LogFile::write_some(std::string_view bytes) {
  std::size_t size = bytes.size();
  if (!regular_) {
    // A pipe that polls writable takes PIPE_BUF bytes without blocking, but not always more.
    pollfd waiter{fd_, POLLOUT, 0};
    const int ready = ::poll(&waiter, 1, 100);
    if (ready == 0 || (ready < 0 && errno == EINTR)) return {};
    size = std::min<std::size_t>(size, PIPE_BUF);
  }
  const ssize_t n = ::write(fd_, bytes.data(), size);
  if (n >= 0) return {static_cast<std::size_t>(n), false};
  return {0, errno != EINTR && errno != EAGAIN};
}

}  // namespace berth::observe
