#include "observe/log_writer.h"

#include <fmt/format.h>
#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "observe/log_sink.h"

namespace berth::observe {

struct LogWriter::State {
  State(LogFile file_in, std::size_t ring) : file(std::move(file_in)), limit(ring) {
    waiting.reserve(limit);
  }

  void push(std::string line);
  void run();
  void write(std::string_view text);
  void tell_of_drops();
  bool keep_waiting();

  LogFile file;  // the thread's alone
  const std::size_t limit;
  std::uint64_t told = 0;  // of `dropped`, in the log; the thread's alone
  std::mutex mutex;        // of what follows
  std::condition_variable wake;
  std::condition_variable done;
  std::vector<std::string> waiting;
  std::uint64_t dropped = 0;
  bool ending = false;
  bool gave_up = false;  // at the end, with lines left; written by the thread alone
  bool ended = false;
  std::chrono::steady_clock::time_point give_up_at{};
};

void LogWriter::State::push(std::string line) {
  {
    const std::scoped_lock lock(mutex);
    if (waiting.size() >= limit) {
      ++dropped;
      return;
    }
    waiting.push_back(std::move(line));
  }
  wake.notify_one();
}

void LogWriter::State::run() {
  // Signals are for the main thread, and a closed pipe must be an error of write(), not the end of
  // the process.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::vector<std::string> batch;
  batch.reserve(limit);
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [this] { return ending || !waiting.empty(); });
      batch.clear();
      batch.swap(waiting);
      last = ending;
    }
    for (const std::string& line : batch) write(line);
    tell_of_drops();
  }
  {
    const std::scoped_lock lock(mutex);
    ended = true;
  }
  done.notify_all();
}

void LogWriter::State::write(std::string_view text) {
  // Once given up, each further line would wait for the pipe again.
  if (!gave_up && file.append(text, [this] { return keep_waiting(); }).empty()) return;
  const std::scoped_lock lock(mutex);
  ++dropped;
  gave_up = ending;
}

// Past the ring, and uncounted: where nothing can be written any more, each such line would bring
// the next.
void LogWriter::State::tell_of_drops() {
  std::uint64_t now_dropped = 0;
  {
    const std::scoped_lock lock(mutex);
    now_dropped = dropped;
  }
  if (now_dropped == told || gave_up) return;
  told = now_dropped;
  const std::string line = finished_log_line(
      LogLevel::kWarning,
      fmt::format("process log: {} lines lost so far (standard error cannot be written fast enough "
                  "or at all)",
                  now_dropped));
  file.append(line, [this] { return keep_waiting(); });
}

bool LogWriter::State::keep_waiting() {
  const std::scoped_lock lock(mutex);
  return !ending || std::chrono::steady_clock::now() < give_up_at;
}

LogWriter::LogWriter(LogFile file, std::size_t ring, std::chrono::milliseconds patience_at_end)
    : state_(std::make_shared<State>(std::move(file), ring)), patience_at_end_(patience_at_end) {
  thread_ = std::thread([state = state_] { state->run(); });
  set_log_outlet([state = state_](std::string line) { state->push(std::move(line)); });
}

LogWriter::~LogWriter() {
  // A poll in progress ends within a tenth of a second of that.
  constexpr std::chrono::milliseconds kLastPoll{500};
  std::unique_lock lock(state_->mutex);
  state_->ending = true;
  state_->give_up_at = std::chrono::steady_clock::now() + patience_at_end_;
  state_->wake.notify_one();
  const bool ended =
      state_->done.wait_for(lock, patience_at_end_ + kLastPoll, [this] { return state_->ended; });
  const bool whole = ended && !state_->gave_up;
  lock.unlock();
  if (ended) {
    thread_.join();
  } else {
    thread_.detach();
  }
  // If nobody reads, a line written the direct way would hold up the end of the process.
  set_log_outlet(whole ? LogOutlet() : [](const std::string&) {});
}

std::uint64_t LogWriter::dropped() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->dropped;
}

}  // namespace berth::observe
