// Is a server fit for requests? A pure state machine: answers of /health, progress of the engine's
// counters and signs of life from the data path in; up, suspect or down out, with the reason in
// words.
//
//   down     nothing is sent there: the connection was refused, /health said 503, three checks in a
//   row went
//            unanswered while nothing moved, or it has not been discovered
//   suspect  something is wrong, but requests there may still end well
//   up       checks answer, or go unanswered while the counters move: a busy API server is not a
//   dead one (an
//            engine at work may miss a /health for a minute; ejecting it loses every cache it
//            holds)
//
// A way back takes `good_to_return` good checks in a row; from down also a new discovery, as the
// engine that comes back may be another one. 4xx of /health count as good: the server lives and
// just has no such page.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "fleet/fleet.h"

namespace berth::fleet {

enum class CheckResult : std::uint8_t {
  kOk,
  kRefused,      // no connection: nobody listens, no route, no such host
  kUnanswered,   // a connection or an answer did not come in time
  kUnavailable,  // 503
  kFailed,       // other trouble: reset, 5xx, not HTTP
  kOurs,  // the fault is this machine's (no descriptor left, a bad setting): tells nothing of the
          // server
};

struct HealthPolicy {
  std::uint32_t misses_to_down = 3;  // gonka-ai/gonka#1421 settled on three heartbeats
  std::uint32_t good_to_return = 2;
  Duration stuck_after{std::chrono::seconds(120)};
};

struct HealthState {
  Health health = Health::kDown;
  std::string why;  // empty when up
  friend bool operator==(const HealthState&, const HealthState&) = default;
};

class HealthMachine {
 public:
  explicit HealthMachine(HealthPolicy policy) : policy_(policy) {}

  // A check that began at `started` has ended. `what` names it and says what came of it, for the
  // operator.
  void on_check(CheckResult result, const std::string& what, Instant started);
  // The counters of a page that came at `now`: did any move since the page before, and how many
  // requests does Berth have there? Only pages that show counters are told here.
  void on_counters(bool moved, std::uint32_t in_flight, const std::string& what, Instant now);
  // The data path received bytes from the server.
  void on_sign_of_life(Instant now) { moved_at_ = now; }
  // `definite`: asking again will not help (401), so also a server in use goes down.
  void on_discovered();
  void on_discovery_failed(const std::string& what, bool definite);

  const HealthState& state() const { return state_; }
  // True when the server may be asked for its models: it answers, and they are not known (any
  // more).
  bool wants_discovery() const { return !discovered_ && answers_; }

 private:
  void on_good_check();
  void on_miss(const std::string& what);
  void go_down(const std::string& what);
  void derive_state();

  HealthPolicy policy_;
  HealthState state_;
  bool answers_ = false;  // enough good checks, and not lost since
  bool discovered_ = false;
  bool was_up_ = false;       // a first start needs one good check only
  std::string down_why_;      // the newest reason for not answering or not being discovered
  std::string missing_why_;   // not empty: checks went unanswered, and not enough were good since
  std::string stuck_why_;     // not empty: no progress
  std::uint32_t misses_ = 0;  // in a row
  std::uint32_t good_ = 0;    // in a row
  Instant moved_at_{};        // the newest sign of progress
  Instant waiting_since_{};   // requests in flight without a break since; epoch: none
};

}  // namespace berth::fleet
