#include "routing/fault_guard.h"

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

int new_ones_at(Rig& rig, ReplicaIndex replica, int count, const std::string& name) {
  int there = 0;
  for (int i = 0; i < count; ++i) {
    there += *rig.turn(turn_of(name + std::to_string(i))).replica == replica ? 1 : 0;
  }
  return there;
}

// Gives `replica` a conversation called "own", then three failed turns of it in a row.
void break_replica(Rig& rig, ReplicaIndex replica, int status) {
  int i = 0;
  std::string own;
  do {
    own = "own" + std::to_string(i++);
  } while (*rig.turn(turn_of(own)).replica != replica);
  for (std::uint32_t fault = 0; fault < kFaultsInARow; ++fault) {
    rig.fail(rig.send(turn_of(own)), status);
  }
}

TEST(FaultGuard, AReplicaThatFailsFastDoesNotDrawTheNewConversations) {
  Rig rig(2);
  break_replica(rig, 0, 500);
  EXPECT_EQ(new_ones_at(rig, 0, 10, "new"), 0);
}

TEST(FaultGuard, ItsOwnConversationsStillGoThere) {
  Rig rig(2);
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  for (int i = 0; i < 5; ++i) rig.fail(rig.send(turn_of("s")), 500);
  EXPECT_TRUE(went(rig.turn(turn_of("s")), Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(rig.home_of("s"), home);
}

TEST(FaultGuard, BackpressureAndClientErrorsAreNoFaults) {
  for (const int status : {400, 404, 422, 429, 503, 529}) {
    Rig rig(2);
    break_replica(rig, 0, status);
    EXPECT_GT(new_ones_at(rig, 0, 10, "new"), 0) << status;
  }
}

TEST(FaultGuard, AServedRequestEndsTheRow) {
  Rig rig(2);
  rig.turn(turn_of("s"));
  const ReplicaIndex home = rig.home_of("s");
  for (int i = 0; i < 6; ++i) {
    rig.fail(rig.send(turn_of("s")), 500);
    rig.turn(turn_of("s"));
  }
  EXPECT_GT(new_ones_at(rig, home, 10, "new"), 0);
}

TEST(FaultGuard, ABrokenStreamIsAFault) {
  Rig rig(2);
  rig.turn(turn_of("s"));
  const ReplicaIndex home = rig.home_of("s");
  for (int i = 0; i < 3; ++i) {
    rig.router.on_finished(rig.send(turn_of("s")).ticket, {200, {}, false}, rig.now());
  }
  EXPECT_EQ(new_ones_at(rig, home, 10, "new"), 0);
}

TEST(FaultGuard, IsTriedAgainAfterThePauseAndOneMoreFaultRenewsIt) {
  Rig rig(2);
  break_replica(rig, 0, 500);
  rig.pass(kPause);
  Dispatch trial = rig.send(turn_of("trial0"));
  for (int i = 1; *trial.replica != 0; ++i) {
    rig.finish(trial);
    trial = rig.send(turn_of("trial" + std::to_string(i)));
  }
  rig.fail(trial, 500);
  EXPECT_EQ(new_ones_at(rig, 0, 10, "new"), 0);
  rig.pass(kPause);
  EXPECT_GT(new_ones_at(rig, 0, 20, "later"), 0);
}

TEST(FaultGuard, WithAllReplicasFailingNobodyIsTurnedAway) {
  Rig rig(2);
  break_replica(rig, 0, 500);
  break_replica(rig, 1, 502);
  EXPECT_EQ(rig.turn(turn_of("new")).outcome, Outcome::kPlaced);
}

}  // namespace
}  // namespace berth::routing
