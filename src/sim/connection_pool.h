// The gateway's connections to one server. vLLM's API processes share a listening socket and a
// connection stays with the process that accepted it, so which process balances a request is
// decided by the connection it travels on.
//
// As serve's pool: the connection used last is taken first, an idle one is closed after four
// seconds, and a new one meets a process at random.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "sim/random.h"

namespace berth::sim {

class ConnectionPool {
 public:
  ConnectionPool(std::uint32_t processes, std::uint64_t seed)
      : processes_(processes), random_(seed) {}

  // The process of the connection taken; give it back with put().
  std::uint32_t take(Instant now) {
    while (!idle_.empty()) {
      const Idle last = idle_.back();
      idle_.pop_back();
      if (now - last.since < kIdleFor) return last.process;
    }
    return static_cast<std::uint32_t>(random_.below(processes_));
  }
  void put(std::uint32_t process, Instant now) { idle_.push_back({process, now}); }
  // The server went: its connections with it.
  void clear() { idle_.clear(); }

 private:
  static constexpr Duration kIdleFor = std::chrono::seconds(4);
  struct Idle {
    std::uint32_t process;
    Instant since;
  };
  std::uint32_t processes_;
  Random random_;
  std::vector<Idle> idle_;
};

}  // namespace berth::sim
