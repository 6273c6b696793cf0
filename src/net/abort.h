// Lets one coroutine give up an operation of another on the same thread: a connection under way
// whose client has left.
#pragma once

#include <functional>
#include <utility>

namespace berth::net {

// Owner: whoever may want to abort; outlives the operation it is given to.
class Abort {
 public:
  Abort() = default;
  Abort(const Abort&) = delete;
  Abort& operator=(const Abort&) = delete;

  // Ends what is under way at once. What begins after it does not begin.
  void abort() {
    aborted_ = true;
    if (stop_) stop_();
  }
  bool aborted() const { return aborted_; }

 private:
  friend class AbortScope;
  bool aborted_ = false;
  std::function<void()> stop_;
};

// While it lives, abort() runs `stop`, which makes the operation under way end with an error. The
// operation asks aborted() before it begins. One at a time; `abort` may be null.
class AbortScope {
 public:
  AbortScope(Abort* abort, std::function<void()> stop) : abort_(abort) {
    if (abort_ != nullptr) abort_->stop_ = std::move(stop);
  }
  ~AbortScope() {
    if (abort_ != nullptr) abort_->stop_ = nullptr;
  }
  AbortScope(const AbortScope&) = delete;
  AbortScope& operator=(const AbortScope&) = delete;

 private:
  Abort* abort_;
};

}  // namespace berth::net
