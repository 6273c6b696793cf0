#include "fleet/counter_track.h"

namespace berth::fleet {

bool CounterTrack::update(std::optional<double> shown) {
  // 2^53: beyond it a double no longer counts.
  if (!shown || !(*shown >= 0) || *shown > 9007199254740992.0) return false;
  const auto now = static_cast<std::uint64_t>(*shown);
  const bool restarted = now < shown_;
  if (restarted) before_restarts_ += shown_;
  shown_ = now;
  return restarted;
}

}  // namespace berth::fleet
