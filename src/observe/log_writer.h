// The process log's own thread, so that whoever logs never waits for standard error.
//
// While a LogWriter lives, log.h hands it every line: it puts the line in a bounded ring and a
// thread writes it. When the ring is full the line is dropped and counted; once there is room again
// one line says how many are missing. Without a LogWriter each line is written before log_line()
// returns, which is what a command that prints a few lines and ends wants, and `berth serve` until
// it has started: an error at the start is on the terminal before the process ends.
//
// One at a time; made and destroyed on the main thread, and destroyed after all else that logs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include "observe/log_file.h"

namespace berth::observe {

class LogWriter {
 public:
  // At 4 KiB a line (log.h) at most 4 MiB; a start, a reload or the loss of a whole fleet at once
  // writes a few hundred lines.
  static constexpr std::size_t kRing = 1024;
  // How long the end waits for a reader that does not read. As for the access log.
  static constexpr std::chrono::milliseconds kPatienceAtEnd{2000};

  explicit LogWriter(LogFile file = LogFile::standard_error(), std::size_t ring = kRing,
                     std::chrono::milliseconds patience_at_end = kPatienceAtEnd);
  // Writes what waits, for at most `patience_at_end`; the rest is lost. A thread that the system
  // holds in a write even then is left behind: the process is about to end.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  std::uint64_t dropped() const;  // lines lost so far; any thread

 private:
  struct State;
  std::shared_ptr<State> state_;  // also the thread's, which may outlive this object
  const std::chrono::milliseconds patience_at_end_;
  std::thread thread_;
};

}  // namespace berth::observe
