#include "cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/human.h"

namespace berth::cli {

std::string progress_line(std::size_t done, std::size_t all, double elapsed_s) {
  constexpr std::size_t kWidth = 20;
  const std::size_t filled = all == 0 ? kWidth : done * kWidth / all;
  const std::size_t percent_done = all == 0 ? 100 : done * 100 / all;
  std::string line = fmt::format("[{}{}] {:3} %  {} of {}", std::string(filled, '#'),
                                 std::string(kWidth - filled, '-'), percent_done, done, all);
  if (done == 0 || done >= all) return line;
  const double left = elapsed_s / static_cast<double>(done) * static_cast<double>(all - done);
  return line + fmt::format(", {} left", duration(left));
}

ProgressBar::ProgressBar()
    : terminal_(isatty(STDERR_FILENO) != 0), began_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (terminal_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::show(std::size_t done, std::size_t all) {
  if (!terminal_) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  fmt::print(stderr, "\r\x1b[K{}", progress_line(done, all, elapsed.count()));
  std::fflush(stderr);
}

}  // namespace berth::cli
