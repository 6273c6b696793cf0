#include "gateway/state_writer.h"

#include <utility>

#include "observe/log.h"

namespace berth::gateway {

StateWriter::StateWriter(std::function<Result<void>()> save)
    : save_(std::move(save)), thread_([this] { run(); }) {}

StateWriter::~StateWriter() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void StateWriter::request() {
  {
    const std::lock_guard lock(mutex_);
    requested_ = true;
  }
  wake_.notify_one();
}

bool StateWriter::idle() const {
  const std::lock_guard lock(mutex_);
  return !requested_ && !saving_;
}

void StateWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return requested_ || ended_; });
    if (ended_) return;
    requested_ = false;
    saving_ = true;
    lock.unlock();
    if (const Result<void> saved = save_(); !saved) {
      observe::log_warning("{}", saved.error().message);
    }
    lock.lock();
    saving_ = false;
  }
}

}  // namespace berth::gateway
