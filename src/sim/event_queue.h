// The queue of the virtual world: what happens next. Events of one instant happen in the order they
// were put in, so a run depends on nothing but its seed.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/clock.h"

namespace berth::sim {

enum class EventKind : std::uint8_t {
  kStartSlot,       // subject: the slot of a closed loop
  kArrival,         // a session, or a burst of them, of an open loop
  kOtherTraffic,    // one request without a session
  kSendTurn,        // subject: speaker
  kAtGateway,       // flight: the request reached the gateway
  kAtServer,        // flight: the request reached its server
  kServer,          // subject: server; stamp: of the plan it belongs to
  kFirstAtGateway,  // flight: first content token
  kEndAtGateway,    // flight
  kFirstAtClient,   // flight
  kEndAtClient,     // flight
  kFailedAtClient,  // flight: an error instead of an answer, or the connection broke
  kScrape,
  kPoll,
  kTick,          // of the policy; stamp as for kServer
  kFleetEvent,    // subject: its number in the settings
  kFleetNoticed,  // the gateway learns of it
};

struct WorldEvent {
  Instant at{};
  std::uint64_t order = 0;
  EventKind kind = EventKind::kPoll;
  std::uint32_t subject = 0;
  std::uint64_t number = 0;  // a flight, or a stamp
};

class EventQueue {
 public:
  void push(Instant at, EventKind kind, std::uint32_t subject = 0, std::uint64_t number = 0) {
    queue_.push({at, next_++, kind, subject, number});
  }
  bool due(Instant now) const { return !queue_.empty() && queue_.top().at <= now; }
  // The next one; there must be one.
  WorldEvent pop() {
    const WorldEvent event = queue_.top();
    queue_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const WorldEvent& a, const WorldEvent& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  std::priority_queue<WorldEvent, std::vector<WorldEvent>, Later> queue_;
  std::uint64_t next_ = 0;
};

}  // namespace berth::sim
