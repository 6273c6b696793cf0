#include "observe/log_reaper.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace berth::observe {

LogReaper::LogReaper() : thread_([this] { run(); }) {}

LogReaper::~LogReaper() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

std::shared_ptr<AccessLog> LogReaper::adopt(std::unique_ptr<AccessLog> log) {
  return {log.release(), [this](AccessLog* last) { take(std::unique_ptr<AccessLog>(last)); }};
}

void LogReaper::take(std::unique_ptr<AccessLog> log) {
  {
    const std::scoped_lock lock(mutex_);
    ended_.push_back(std::move(log));
  }
  wake_.notify_one();
}

void LogReaper::run() {
  // Signals are for the main thread.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (bool last = false; !last;) {
    std::vector<std::unique_ptr<AccessLog>> ending;
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return stopping_ || !ended_.empty(); });
    ending.swap(ended_);
    last = stopping_;
    lock.unlock();
    ending.clear();
  }
}

}  // namespace berth::observe
