// A counter of an engine, made monotonic: what the engine counted before each of its restarts is
// kept and added.
#pragma once

#include <cstdint>
#include <optional>

namespace berth::fleet {

class CounterTrack {
 public:
  // The counter as the engine shows it now. A value below the last one is a restart: the engine
  // began at zero again. Nothing (the page lacked it), NaN and negative values change nothing.
  // Returns true for a restart.
  bool update(std::optional<double> shown);
  std::uint64_t value() const { return before_restarts_ + shown_; }

 private:
  std::uint64_t before_restarts_ = 0;
  std::uint64_t shown_ = 0;
};

}  // namespace berth::fleet
