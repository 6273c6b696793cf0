#include "observe/access_log.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include "observe/log.h"
#include "observe/log_file.h"

namespace berth::observe {
namespace {

constexpr auto kPatienceAtEnd = std::chrono::seconds(2);
// After that a poll of a tenth of a second is under way, and one more for each 64 KiB left.
constexpr auto kLastPolls = std::chrono::seconds(1);
constexpr std::size_t kWriteBytes = std::size_t{64} * 1024;
constexpr auto kWarnEvery = std::chrono::seconds(10);

class NoAccessLog final : public AccessLog {
 public:
  void write(AccessRecord) override {}
  std::uint64_t dropped() const override { return 0; }
  Result<void> reopen() override { return {}; }
};

// The ring and what its thread works with. Also the thread's own, which may outlive the log.
class Writing {
 public:
  Writing(std::string path, LogFile file, std::size_t ring)
      : path_(std::move(path)), file_(std::move(file)), limit_(ring) {
    waiting_.reserve(limit_);
  }

  void run();  // until end()
  void write(AccessRecord record);
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  Result<void> reopen();
  // Has run() write what waits, for kPatienceAtEnd at most, and return. False: it did not, because
  // the system holds it in a write.
  bool end();

 private:
  void write_batch(const std::vector<AccessRecord>& batch);
  void flush_text();
  bool keep_waiting();
  void warn_of_drops();

  const std::string path_;
  LogFile file_;  // the writer's alone
  const std::size_t limit_;
  std::mutex mutex_;  // of the members down to give_up_at_
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<AccessRecord> waiting_;
  std::optional<LogFile> next_file_;
  bool ending_ = false;
  bool ended_ = false;
  std::chrono::steady_clock::time_point give_up_at_{};
  std::atomic<std::uint64_t> dropped_{0};
  // The writer's alone:
  std::string text_;
  bool torn_ = false;  // the last write ended inside a line
  std::uint64_t dropped_told_ = 0;
  std::chrono::steady_clock::time_point warned_at_{};
};

class WritingAccessLog final : public AccessLog {
 public:
  WritingAccessLog(std::string path, LogFile file, std::size_t ring)
      : writing_(std::make_shared<Writing>(std::move(path), std::move(file), ring)),
        writer_([writing = writing_] { writing->run(); }) {}

  ~WritingAccessLog() override {
    if (writing_->end()) {
      writer_.join();
    } else {
      writer_.detach();
    }
  }

  void write(AccessRecord record) override { writing_->write(std::move(record)); }
  std::uint64_t dropped() const override { return writing_->dropped(); }
  Result<void> reopen() override { return writing_->reopen(); }

 private:
  const std::shared_ptr<Writing> writing_;
  std::thread writer_;
};

void Writing::write(AccessRecord record) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= limit_) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    waiting_.push_back(std::move(record));
  }
  wake_.notify_one();
}

Result<void> Writing::reopen() {
  auto opened = LogFile::open(path_);
  if (!opened) return tl::unexpected(opened.error());
  {
    const std::scoped_lock lock(mutex_);
    next_file_.emplace(std::move(*opened));
  }
  wake_.notify_one();  // the old file is let go at once, whether a line comes or not
  return {};
}

bool Writing::end() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  give_up_at_ = std::chrono::steady_clock::now() + kPatienceAtEnd;
  wake_.notify_one();
  return done_.wait_until(lock, give_up_at_ + kLastPolls, [this] { return ended_; });
}

void Writing::run() {
  // Signals are for the main thread, and a closed pipe must be an error of write(), not the end of
  // the process.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::vector<AccessRecord> batch;
  batch.reserve(limit_);
  for (;;) {
    bool last = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || next_file_ || !waiting_.empty(); });
      batch.clear();
      batch.swap(waiting_);
      if (next_file_) {
        file_ = std::move(*next_file_);
        next_file_.reset();
        torn_ = false;
      }
      last = ending_;
    }
    write_batch(batch);
    warn_of_drops();
    if (last) break;
  }
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  done_.notify_all();
}

void Writing::write_batch(const std::vector<AccessRecord>& batch) {
  text_.clear();
  for (const auto& record : batch) {
    text_ += to_json(record);
    text_ += '\n';
    if (text_.size() >= kWriteBytes) flush_text();
  }
  flush_text();
}

void Writing::flush_text() {
  if (text_.empty()) return;
  // After half a line, the next one must not be glued to it.
  if (torn_) text_.insert(0, 1, '\n');
  const std::string_view lost = file_.append(text_, [this] { return keep_waiting(); });
  const std::string_view written = std::string_view(text_).substr(0, text_.size() - lost.size());
  auto lines = std::count(lost.begin(), lost.end(), '\n');
  if (torn_ && written.empty()) --lines;
  dropped_.fetch_add(static_cast<std::uint64_t>(lines), std::memory_order_relaxed);
  if (!written.empty()) torn_ = written.back() != '\n';
  text_.clear();
}

bool Writing::keep_waiting() {
  const std::scoped_lock lock(mutex_);
  return !ending_ || std::chrono::steady_clock::now() < give_up_at_;
}

void Writing::warn_of_drops() {
  const std::uint64_t now_dropped = dropped();
  const auto now = std::chrono::steady_clock::now();
  if (now_dropped == dropped_told_ || now - warned_at_ < kWarnEvery) return;
  log_warning("access log: {} lines lost so far ({} cannot be written fast enough or at all)",
              now_dropped, path_ == "-" ? "standard output" : path_);
  dropped_told_ = now_dropped;
  warned_at_ = now;
}

}  // namespace

Result<std::unique_ptr<AccessLog>> AccessLog::open(const std::string& path, std::size_t ring) {
  if (path.empty()) return std::make_unique<NoAccessLog>();
  auto file = LogFile::open(path);
  if (!file) return tl::unexpected(file.error());
  return std::make_unique<WritingAccessLog>(path, std::move(*file), ring);
}

}  // namespace berth::observe
