// How far a long computation is: a bar on standard error where that is a terminal, and nothing
// where it is a pipe or a file, so that logs and scripts get only results.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace berth::cli {

// "[########------------]  40 %  12 of 30, 18 s left"
std::string progress_line(std::size_t done, std::size_t all, double elapsed_s);

class ProgressBar {
 public:
  ProgressBar();
  // Wipes the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::size_t done, std::size_t all);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace berth::cli
