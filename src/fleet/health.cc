#include "fleet/health.h"

#include <algorithm>

namespace berth::fleet {

void HealthMachine::on_check(CheckResult result, const std::string& what, Instant started) {
  switch (result) {
    case CheckResult::kOk:
      on_good_check();
      break;
    case CheckResult::kRefused:
    case CheckResult::kUnavailable:
      go_down(what);
      break;
    case CheckResult::kUnanswered:
      // Progress while the check waited: busy. That is no miss, nor is it a good check.
      if (moved_at_ < started) on_miss(what);
      break;
    case CheckResult::kFailed:
      on_miss(what);
      break;
    case CheckResult::kOurs:
      if (!answers_) down_why_ = what;
      break;
  }
  derive_state();
}

void HealthMachine::on_good_check() {
  misses_ = 0;
  ++good_;
  if (good_ < (was_up_ ? policy_.good_to_return : 1)) return;
  answers_ = true;
  missing_why_.clear();
}

void HealthMachine::on_miss(const std::string& what) {
  good_ = 0;
  ++misses_;
  if (misses_ >= policy_.misses_to_down) {
    go_down(what);
  } else if (answers_) {
    missing_why_ = what;
  } else {
    down_why_ = what;
  }
}

void HealthMachine::on_counters(bool moved, std::uint32_t in_flight, const std::string& what,
                                Instant now) {
  if (moved) moved_at_ = now;
  if (in_flight == 0) {
    waiting_since_ = {};
  } else if (waiting_since_ == Instant{}) {
    waiting_since_ = now;
  }
  const bool stuck =
      in_flight > 0 && now - std::max(waiting_since_, moved_at_) >= policy_.stuck_after;
  stuck_why_ = stuck ? what : "";
  derive_state();
}

void HealthMachine::on_discovered() {
  discovered_ = true;
  derive_state();
}

void HealthMachine::on_discovery_failed(const std::string& what, bool definite) {
  if (discovered_ && !definite) return;
  discovered_ = false;
  down_why_ = what;
  derive_state();
}

void HealthMachine::go_down(const std::string& what) {
  misses_ = 0;
  good_ = 0;
  answers_ = false;
  discovered_ = false;
  down_why_ = what;
  missing_why_.clear();
}

void HealthMachine::derive_state() {
  if (!answers_ || !discovered_) {
    state_ = {Health::kDown, down_why_};
  } else if (!missing_why_.empty()) {
    state_ = {Health::kSuspect, missing_why_};
  } else if (!stuck_why_.empty()) {
    state_ = {Health::kSuspect, stuck_why_};
  } else {
    state_ = {Health::kUp, ""};
    was_up_ = true;
  }
}

}  // namespace berth::fleet
