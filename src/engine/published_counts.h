// What the API processes know of the ranks: the coordinator's last snapshot, plus each process's
// own bumps since.
//
// Source: vllm/v1/engine/coordinator.py (DPCoordinatorProc): a snapshot is published every 100 ms
// if the counts changed, else every 5000 ms, and replaces whatever a process had.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/balancer.h"

namespace berth::engine {

inline constexpr Duration kPublishInterval = std::chrono::milliseconds(100);
inline constexpr Duration kHeartbeat = std::chrono::seconds(5);

class PublishedCounts {
 public:
  PublishedCounts(std::uint32_t ranks, std::uint32_t processes);

  // Publishes what was due since the last call.
  void observe(std::span<const RankLoad> loads, Instant now);
  // The next instant at which observe() has something to do; the first call always has.
  Instant due() const;
  // A heartbeat of zeros only: engines that never report.
  void observe_silence(Instant now);
  Instant silence_due() const;
  // The counts as that process sees them now.
  std::span<RankLoad> of(std::uint32_t process) { return seen_[process]; }

 private:
  void publish(std::span<const RankLoad> loads);

  std::vector<std::vector<RankLoad>> seen_;  // by process, then rank
  std::vector<RankLoad> last_published_;
  // The latest multiple of the interval, counted from the first call, that has been dealt with.
  std::optional<Instant> publish_tick_;
  std::optional<Instant> heartbeat_tick_;
};

// True when a multiple of `period`, counted from the first call, lies in (last call, now]. Moves
// `tick` to it.
bool tick_passed(std::optional<Instant>& tick, Duration period, Instant now);

// The start of the scan for a process: ranks * process / processes.
std::uint32_t first_start(std::uint32_t ranks, std::uint32_t process, std::uint32_t processes);

}  // namespace berth::engine
