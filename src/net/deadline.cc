#include "net/deadline.h"

#include <utility>

namespace berth::net {

struct Deadline::State : std::enable_shared_from_this<State> {
  State(const Executor& executor, std::function<void()> callback)
      : timer(executor), on_expiry(std::move(callback)) {}

  void arm(Instant when) {
    due = when;
    armed = true;
    fired = false;
    if (!waiting || when < timer_due) start_timer();
  }

  void start_timer() {
    timer_due = due;
    waiting = true;
    const auto round = ++current_round;
    timer.expires_at(due);  // makes an earlier wait end as aborted
    timer.async_wait([self = shared_from_this(), round](error_code) { self->on_timer(round); });
  }

  void on_timer(std::uint64_t round) {
    if (round != current_round) return;
    waiting = false;
    if (!armed) return;
    if (due > std::chrono::steady_clock::now()) return start_timer();
    armed = false;
    fired = true;
    // A copy: the callback may destroy the Deadline, and with it the member.
    const auto callback = on_expiry;
    callback();
  }

  void disarm() { armed = false; }

  // After this no callback comes, whatever the timer does.
  void retire() {
    disarm();
    ++current_round;
    on_expiry = nullptr;
    timer.cancel();
  }

  Timer timer;
  std::function<void()> on_expiry;
  Instant due{};
  Instant timer_due{};
  std::uint64_t current_round = 0;
  bool waiting = false;  // a wait of the current round is outstanding
  bool armed = false;
  bool fired = false;
};

Deadline::Deadline(const Executor& executor, std::function<void()> on_expiry)
    : state_(std::make_shared<State>(executor, std::move(on_expiry))) {}

Deadline::~Deadline() { state_->retire(); }

void Deadline::expires_at(Instant when) { state_->arm(when); }
void Deadline::expires_after(Duration wait) {
  state_->arm(std::chrono::steady_clock::now() + wait);
}
void Deadline::cancel() { state_->disarm(); }
bool Deadline::expired() const { return state_->fired; }

}  // namespace berth::net
