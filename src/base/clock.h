// Time as Berth uses it: one monotonic instant type, and clocks that can be injected.
//
// Pure code (routing, engine) never reads a clock: the caller passes an Instant in. The gateway
// passes SteadyClock's, the simulator and the tests pass instants they made up.
#pragma once

#include <chrono>

namespace berth {

using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::system_clock::time_point;

// Where instants come from. Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
  virtual WallTime wall() const = 0;
};

// The machine's clocks.
class SteadyClock final : public Clock {
 public:
  Instant now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall() const override { return std::chrono::system_clock::now(); }
};

// A clock a test moves by hand. Not thread safe.
class ManualClock final : public Clock {
 public:
  Instant now() const override { return now_; }
  WallTime wall() const override {
    return WallTime{} + std::chrono::duration_cast<WallTime::duration>(now_.time_since_epoch());
  }
  void advance(Duration d) { now_ += d; }

 private:
  Instant now_{std::chrono::seconds(1)};
};

// Seconds as a double, for logs, metrics and JSON.
inline double to_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace berth
