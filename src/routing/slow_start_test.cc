#include "routing/slow_start.h"

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

// Places `count` paced conversations and answers how many went to `replica`.
int share_of(Rig& rig, ReplicaIndex replica, int count, const std::string& name) {
  int there = 0;
  for (int i = 0; i < count; ++i) {
    there += *rig.turn(turn_of(name + std::to_string(i))).replica == replica ? 1 : 0;
  }
  return there;
}

void load(Rig& rig) {
  for (int i = 0; i < 30; ++i) rig.turn(turn_of("old" + std::to_string(i)));
}

TEST(SlowStart, AFreshReplicaTakesTheFirstAndThenItsFairShare) {
  Rig rig(3);
  load(rig);
  const ReplicaIndex fresh = rig.add_server();
  EXPECT_EQ(*rig.turn(turn_of("first")).replica, fresh);
  EXPECT_EQ(share_of(rig, fresh, 8, "new"), 2);  // one in four
}

TEST(SlowStart, TheShareGrowsAndEndsWithTheWindow) {
  Rig rig(3);
  load(rig);
  const ReplicaIndex fresh = rig.add_server();
  rig.turn(turn_of("first"));
  rig.pass(std::chrono::seconds(15));
  const int half_way = share_of(rig, fresh, 6, "half");
  EXPECT_EQ(half_way, 3);  // one in two
  rig.pass(std::chrono::seconds(16));
  EXPECT_EQ(share_of(rig, fresh, 4, "after"), 4);  // it has the fewest residents still
}

TEST(SlowStart, AlsoForOneThatComesBackFromDownButNotFromSuspect) {
  Rig rig(2);
  rig.router.on_replica_state(1, ReplicaState::kDown, rig.now());
  load(rig);
  rig.router.on_replica_state(1, ReplicaState::kUp, rig.now());
  EXPECT_EQ(share_of(rig, 1, 6, "new"), 3);

  Rig other(2);
  other.router.on_replica_state(1, ReplicaState::kSuspect, other.now());
  load(other);
  other.router.on_replica_state(1, ReplicaState::kUp, other.now());
  EXPECT_EQ(share_of(other, 1, 6, "new"), 6);
}

TEST(SlowStart, NotForTheReplicasOfTheStart) {
  Rig rig(2);
  EXPECT_EQ(share_of(rig, 0, 4, "s") + share_of(rig, 1, 0, "s"), 2);
}

TEST(SlowStart, NeverLeavesAConversationWithoutAReplica) {
  Rig rig(1);
  rig.turn(turn_of("old"));
  const ReplicaIndex fresh = rig.add_server();
  rig.router.on_replica_state(0, ReplicaState::kDown, rig.now());
  EXPECT_EQ(share_of(rig, fresh, 5, "new"), 5);
}

}  // namespace
}  // namespace berth::routing
