// Ends access logs that are no longer used, on a thread of its own.
//
// The end of an access log writes what waits and may take seconds on a slow pipe or disk. After a
// reload its last user is often a worker, with its last request under the old configuration, and a
// worker that waited there would stall all its connections.
//
// Owned by the gateway; made and destroyed on the control thread. Outlives every log it adopted.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "observe/access_log.h"

namespace berth::observe {

class LogReaper {
 public:
  LogReaper();
  // Waits for the end of every log that was handed over.
  ~LogReaper();
  LogReaper(const LogReaper&) = delete;
  LogReaper& operator=(const LogReaper&) = delete;

  // Whoever lets go of the last copy hands the log over and goes on at once. Any thread.
  std::shared_ptr<AccessLog> adopt(std::unique_ptr<AccessLog> log);

 private:
  void run();
  void take(std::unique_ptr<AccessLog> log);

  std::mutex mutex_;  // of the two below
  std::vector<std::unique_ptr<AccessLog>> ended_;
  bool stopping_ = false;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace berth::observe
