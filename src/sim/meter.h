// Counts what happens between open() and close(): the window of one stage.
//
// A request belongs to the window in which its first content token reached the client; one that is
// unanswered when the window closes counts as cut off (statistics.h). A session belongs to the
// window in which it ended. Counters of the engines are read at both ends and subtracted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "sim/fleet.h"
#include "sim/measures.h"
#include "sim/statistics.h"

namespace berth::sim {

class Meter {
 public:
  void open(const Fleet& fleet, Instant now);
  bool is_open() const { return open_; }

  void first_byte(double waited_s);
  // A request that waits still, when the window is about to be closed.
  void unanswered(double waited_s);
  void turn_ended() { turns_ += open_ ? 1 : 0; }
  void error() { errors_ += open_ ? 1 : 0; }
  void session_ended() { sessions_ += open_ ? 1 : 0; }
  // Of sessions seen from their first turn on; `ended`: false for one that lives at the close.
  void session_lasted(double seconds, bool ended);
  // A later turn of a conversation was sent on, to the replica of its last turn or another.
  void later_turn(bool stayed);
  // At its first token: of its prompt `kept` tokens (full blocks) had been computed before in the
  // same conversation, by the same replica or not, and `cached` were found.
  void reused(routing::ReplicaIndex replica, bool stayed, std::uint64_t kept, std::uint64_t cached);
  // Once a second.
  void poll(const Fleet& fleet);

  WindowResult close(const Fleet& fleet, Instant now);

 private:
  struct Polls {
    double running = 0;
    double waiting = 0;
    double kv = 0;
    double kv_max = 0;
    std::uint64_t busy = 0;
    std::uint64_t count = 0;
  };
  ReplicaAccount account(const Fleet& fleet, routing::ReplicaIndex replica, double window_s) const;
  ReplicaAccount& tally(routing::ReplicaIndex replica);

  bool open_ = false;
  Instant opened_{};
  std::vector<engine::RankStats> start_;
  std::vector<Polls> polls_;
  std::vector<ReplicaAccount> tallies_;
  std::uint64_t poll_count_ = 0;
  std::uint64_t busy_ = 0;
  std::vector<double> ttfb_;
  std::vector<Wait> waits_;
  std::vector<double> sessions_ended_;
  std::vector<Wait> session_waits_;
  std::uint64_t turns_ = 0;
  std::uint64_t sessions_ = 0;
  std::uint64_t errors_ = 0;
  std::uint64_t later_ = 0;
  std::uint64_t stayed_ = 0;
};

}  // namespace berth::sim
