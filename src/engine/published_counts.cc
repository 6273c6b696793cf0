#include "engine/published_counts.h"

#include <algorithm>

namespace berth::engine {

bool tick_passed(std::optional<Instant>& tick, Duration period, Instant now) {
  if (!tick) {
    tick = now;
    return false;
  }
  const auto periods = (now - *tick) / period;
  if (periods == 0) return false;
  *tick += periods * period;
  return true;
}

std::uint32_t first_start(std::uint32_t ranks, std::uint32_t process, std::uint32_t processes) {
  return static_cast<std::uint32_t>(std::uint64_t{ranks} * process / processes);
}

PublishedCounts::PublishedCounts(std::uint32_t ranks, std::uint32_t processes)
    : seen_(processes, std::vector<RankLoad>(ranks)), last_published_(ranks) {}

void PublishedCounts::observe(std::span<const RankLoad> loads, Instant now) {
  const bool interval = tick_passed(publish_tick_, kPublishInterval, now);
  const bool heartbeat = tick_passed(heartbeat_tick_, kHeartbeat, now);
  const bool changed =
      !std::equal(loads.begin(), loads.end(), last_published_.begin(), last_published_.end());
  if (heartbeat || (interval && changed)) publish(loads);
}

void PublishedCounts::observe_silence(Instant now) {
  if (tick_passed(heartbeat_tick_, kHeartbeat, now)) {
    publish(std::vector<RankLoad>(last_published_.size()));
  }
}

Instant PublishedCounts::due() const {
  if (!publish_tick_) return Instant::min();
  return std::min(*publish_tick_ + kPublishInterval, silence_due());
}

Instant PublishedCounts::silence_due() const {
  return heartbeat_tick_ ? *heartbeat_tick_ + kHeartbeat : Instant::min();
}

void PublishedCounts::publish(std::span<const RankLoad> loads) {
  last_published_.assign(loads.begin(), loads.end());
  for (std::vector<RankLoad>& seen : seen_) seen = last_published_;
}

}  // namespace berth::engine
