// Holds a state directory for one process: two that save into the same one would each wipe the
// other's bindings.
//
// An flock(2) on the file `lock` in the directory, from take() until the object goes or the process
// ends, however it ends. The file itself stays; it means nothing without the lock.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth::gateway {

class StateLock {
 public:
  // kIo, naming the directory: another process holds it, or the file cannot be opened. A file
  // system without locks is a sentence in `warnings`, and the directory is used all the same.
  static Result<StateLock> take(const std::string& directory, std::vector<std::string>& warnings);

  StateLock(StateLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  StateLock& operator=(StateLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~StateLock();

 private:
  explicit StateLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// What comes of a flock(2) that failed with `error` (an errno): a warning where the file system has
// no locks, else kIo. Apart from take() because a test has no such file system.
Result<std::string> judge_lock_failure(const std::string& directory, int error);

}  // namespace berth::gateway
