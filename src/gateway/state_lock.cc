#include "gateway/state_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace berth::gateway {

Result<std::string> judge_lock_failure(const std::string& directory, int error) {
  if (error == EWOULDBLOCK) {
    return fail(ErrorCode::kIo,
                fmt::format("the state directory {} is in use by another berth serve; stop it, or "
                            "give each a state_dir of its own",
                            directory));
  }
  return fmt::format(
      "the state directory {} cannot be locked ({}): see to it that no other berth serve uses it, "
      "or they overwrite each other's bindings",
      directory, std::strerror(error));
}

Result<StateLock> StateLock::take(const std::string& directory,
                                  std::vector<std::string>& warnings) {
  const std::string path = directory + "/lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) {
    return fail(ErrorCode::kIo, fmt::format("cannot use the state directory {}: cannot open {}: {}",
                                            directory, path, std::strerror(errno)));
  }
  StateLock lock(fd);
  int locked = 0;
  do {
    locked = ::flock(fd, LOCK_EX | LOCK_NB);
  } while (locked != 0 && errno == EINTR);
  if (locked == 0) return lock;
  Result<std::string> warning = judge_lock_failure(directory, errno);
  if (!warning) return tl::unexpected(warning.error());
  warnings.push_back(std::move(*warning));
  return lock;
}

StateLock::~StateLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace berth::gateway
