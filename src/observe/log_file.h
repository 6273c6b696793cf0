// A file, or one of the standard streams, that lines are appended to. The writer thread of the
// access log owns one, and that of the process log.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::observe {

class LogFile {
 public:
  // "-" is standard output. Fails with kIo, naming the path and the cause.
  static Result<LogFile> open(const std::string& path);
  static LogFile standard_error();
  LogFile(LogFile&& other) noexcept;
  LogFile& operator=(LogFile&& other) noexcept;
  ~LogFile();

  // Writes all of it, waiting for a slow pipe as long as `keep_waiting()` says so. Returns what was
  // not written: empty, unless the waiting ended or the write failed. The caller must have SIGPIPE
  // blocked or ignored.
  template <typename KeepWaiting>
  std::string_view append(std::string_view bytes, KeepWaiting keep_waiting) {
    while (!bytes.empty()) {
      const Step step = write_some(bytes);
      if (step.failed || (step.bytes == 0 && !keep_waiting())) break;
      bytes.remove_prefix(step.bytes);
    }
    return bytes;
  }

 private:
  struct Step {
    std::size_t bytes = 0;
    bool failed = false;
  };
  explicit LogFile(int fd, bool owned);
  // Waits at most 100 ms until something can be written.
  Step write_some(std::string_view bytes);

  int fd_ = -1;
  bool owned_ = false;
  bool regular_ = false;
};

}  // namespace berth::observe
