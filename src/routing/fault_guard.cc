#include "routing/fault_guard.h"

namespace berth::routing {

bool is_fault(int status, bool complete) {
  constexpr int kServerError = 500;
  constexpr int kUnavailable = 503;
  constexpr int kOverloaded = 529;
  if (!complete) return true;
  return status >= kServerError && status != kUnavailable && status != kOverloaded;
}

void note_fault(Replica& replica, Instant now) {
  if (replica.faults_in_row < kFaultsInARow) ++replica.faults_in_row;
  if (replica.faults_in_row == kFaultsInARow) replica.paused_until = now + kPause;
}

void note_served(Replica& replica) {
  replica.faults_in_row = 0;
  replica.paused_until.reset();
}

void end_pauses(ReplicaSet& replicas, Instant now) {
  for (Replica& replica : replicas.all()) {
    if (!replica.paused_until || now < *replica.paused_until) continue;
    replica.paused_until.reset();
    replica.faults_in_row = kFaultsInARow - 1;
  }
}

}  // namespace berth::routing
