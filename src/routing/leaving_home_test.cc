// Overflow and move: when a turn does not go home although home serves.
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

Settings threshold_of_two() {
  Settings settings;
  settings.overflow_threshold = 2;
  return settings;
}

// Settings under which a home with more than two in flight overflows, and moves are easy.
Settings moves_easily() {
  Settings settings = threshold_of_two();
  settings.move_gap = 3;
  settings.move_after_overflows = 3;
  return settings;
}

TEST(Overflow, OnlyPastTheThresholdAndHomeIsKept) {
  Rig rig(2, threshold_of_two());
  const ReplicaIndex home = *rig.turn(turn_of("s")).replica;
  std::vector<Dispatch> open = rig.busy("s", 3);  // sees 0, 1, 2 in flight: none exceeds 2
  for (const Dispatch& dispatch : open) EXPECT_EQ(dispatch.outcome, Outcome::kSticky);
  const Dispatch fourth = rig.send(turn_of("s"));  // sees 3
  EXPECT_TRUE(went(fourth, Outcome::kOverflow, Reason::kHomeBusy));
  EXPECT_NE(*fourth.replica, home);
  EXPECT_EQ(rig.home_of("s"), home);
  rig.finish(open.back());
  const Dispatch next = rig.send(turn_of("s"));
  EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(*next.replica, home);
}

TEST(Overflow, StaysHomeWhenNoOtherHasFewer) {
  Rig rig(2, threshold_of_two());
  const ReplicaIndex home = *rig.turn(turn_of("a")).replica;
  ASSERT_NE(*rig.turn(turn_of("b")).replica, home);
  rig.busy("a", 3);
  rig.busy("b", 3);
  const Dispatch next = rig.send(turn_of("a"));
  EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHomeBusyNoBetter));
  EXPECT_EQ(*next.replica, home);
}

TEST(Overflow, GoesToTheLeastLoadedOfTheOthers) {
  Rig rig(3, threshold_of_two());
  rig.turn(turn_of("a"));
  const ReplicaIndex second = *rig.turn(turn_of("b")).replica;
  const ReplicaIndex third = *rig.turn(turn_of("c")).replica;
  rig.busy("a", 3);
  rig.busy("b", 1);
  const Dispatch next = rig.send(turn_of("a"));
  EXPECT_EQ(next.outcome, Outcome::kOverflow);
  EXPECT_NE(*next.replica, second);
  EXPECT_EQ(*next.replica, third);
}

TEST(Overflow, PrefersAmongEqualsTheReplicaOfTheLastOverflow) {
  Rig rig(3, threshold_of_two());
  const ReplicaIndex home = *rig.turn(turn_of("a")).replica;
  rig.busy("a", 3);
  const ReplicaIndex last = *rig.turn(turn_of("a")).replica;
  ASSERT_NE(last, home);
  // Keep the third replica busy while the one of the overflow gathers residents.
  Dispatch hold = rig.send(turn_of("hold"));
  for (int i = 0; *hold.replica == last; ++i) {
    rig.finish(hold);
    hold = rig.send(turn_of("hold" + std::to_string(i)));
  }
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(*rig.turn(turn_of("resident" + std::to_string(i))).replica, last);
  }
  rig.finish(hold);
  // By load the third would be better now; the copy of the prefix is at the last one.
  const Dispatch again = rig.turn(turn_of("a"));
  EXPECT_EQ(again.outcome, Outcome::kOverflow);
  EXPECT_EQ(*again.replica, last);
}

TEST(Overflow, NeverToASuspectOrDrainingReplica) {
  Rig rig(3, threshold_of_two());
  const ReplicaIndex home = *rig.turn(turn_of("a")).replica;
  rig.busy("a", 3);
  rig.router.on_replica_state((home + 1) % 3, ReplicaState::kSuspect, rig.now());
  rig.router.on_replica_state((home + 2) % 3, ReplicaState::kDraining, rig.now());
  EXPECT_TRUE(went(rig.send(turn_of("a")), Outcome::kSticky, Reason::kHomeBusyNoBetter));
}

TEST(Move, HappensWhenGapRatioCostAndHysteresisAgree) {
  Rig rig(2, moves_easily());
  const ReplicaIndex home = *rig.turn(turn_of("a")).replica;
  rig.busy("a", 3);
  EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
  EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
  const Dispatch third = rig.turn(turn_of("a"));
  EXPECT_TRUE(went(third, Outcome::kMoved, Reason::kHomeStaysBusy));
  EXPECT_NE(*third.replica, home);
  EXPECT_EQ(rig.home_of("a"), *third.replica);
  EXPECT_TRUE(went(rig.turn(turn_of("a")), Outcome::kSticky, Reason::kHome));
}

TEST(Move, NotWithoutTheGap) {
  Settings settings = moves_easily();
  settings.move_gap = 4;
  Rig rig(2, settings);
  rig.turn(turn_of("a"));
  rig.busy("a", 3);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
}

TEST(Move, NotWithoutTheRatio) {
  Settings settings = moves_easily();
  settings.move_gap = 1;
  Rig rig(2, settings);
  rig.turn(turn_of("a"));
  rig.turn(turn_of("b"));
  rig.busy("a", 3);
  rig.busy("b", 2);  // 3 against 2: fewer, but not half
  for (int i = 0; i < 6; ++i) EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
}

TEST(Move, NotOfALongConversation) {
  Rig rig(2, moves_easily());
  rig.turn(turn_of("a"), 40'000);
  rig.busy("a", 3);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(rig.turn(turn_of("a"), 40'000).outcome, Outcome::kOverflow);
}

TEST(Move, NotWhenHomeHadRoomInBetween) {
  Rig rig(2, moves_easily());
  rig.turn(turn_of("a"));
  for (int round = 0; round < 3; ++round) {
    const std::vector<Dispatch> open = rig.busy("a", 3);
    EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
    EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
    for (const Dispatch& dispatch : open) rig.finish(dispatch);
    EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kSticky);
  }
}

TEST(Move, NotAgainWithinTheCooldown) {
  Rig rig(2, moves_easily());
  rig.turn(turn_of("a"));
  const std::vector<Dispatch> open = rig.busy("a", 3);
  for (int i = 0; i < 3; ++i) rig.turn(turn_of("a"));
  ASSERT_EQ(rig.outcomes(Outcome::kMoved), 1u);
  for (const Dispatch& dispatch : open) rig.finish(dispatch);
  rig.busy("a", 3);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
  rig.pass(std::chrono::seconds(119));
  EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
  rig.pass(std::chrono::seconds(1));
  EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kMoved);
}

TEST(Move, ANewHomeGetsAllItsOverflowsBeforeTheNextMove) {
  Rig rig(2, moves_easily());
  const ReplicaIndex first = *rig.turn(turn_of("a")).replica;
  ASSERT_NE(*rig.turn(turn_of("b")).replica, first);
  const std::vector<Dispatch> open = rig.busy("a", 3);
  for (int i = 0; i < 3; ++i) rig.turn(turn_of("a"));
  ASSERT_EQ(rig.outcomes(Outcome::kMoved), 1u);
  for (const Dispatch& dispatch : open) rig.finish(dispatch);
  rig.busy("b", 3);  // fills the new home before the conversation was there again
  rig.pass(std::chrono::minutes(2));
  EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
  EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kOverflow);
  EXPECT_EQ(rig.turn(turn_of("a")).outcome, Outcome::kMoved);
}

}  // namespace
}  // namespace berth::routing
