// A `berth` process started by a test: its standard error is read for the addresses it prints.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace berth::scenario {

class ChildProcess {
 public:
  // Starts the binary under test with `arguments`.
  explicit ChildProcess(std::vector<std::string> arguments);
  ~ChildProcess();  // ends it hard if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void signal(int number);
  // Closes the reading end of its standard error: what it writes there fails with EPIPE.
  void stop_reading();
  // prlimit(2) of RLIMIT_NOFILE; 0 when it went well.
  int descriptor_limit(rlimit& limit) const;
  // Waits for the end; the exit status, or -1 when it did not come in time or a signal ended it.
  int wait();
  // Standard error so far.
  std::string errors() const;
  // Waits until standard error contains `text`.
  bool says(const std::string& text) const;
  // The port in the line "gateway on http://127.0.0.1:PORT" (or "admin on ..."); 0 when it never
  // comes.
  std::uint16_t port_of(const std::string& what) const;

 private:
  void read_errors();

  pid_t pid_ = -1;
  int pipe_ = -1;
  int stop_ = -1;  // an eventfd that ends the reader
  mutable std::mutex mutex_;
  std::string errors_;
  std::thread reader_;
};

}  // namespace berth::scenario
