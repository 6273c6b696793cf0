#include "sim/haproxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/policy_test_rig.h"

namespace berth::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Where = PolicyRig::Where;

TEST(HaProxy, NewSessionsGoToTheFewestConnectionsAndStay) {
  PolicyRig rig("haproxy", {.replicas = 3});
  EXPECT_EQ(rig.session("a"), Where(0));
  EXPECT_EQ(rig.session("b"), Where(1));
  EXPECT_EQ(rig.session("a"), Where(0));
  EXPECT_EQ(rig.session("c"), Where(2));
  EXPECT_EQ(rig.session("d"), Where(1));  // 2, 1, 1: of equals the one that changed first
  EXPECT_EQ(rig.session("a"), Where(0));
}

// All idle again: 0 changed first, then 2, then 1.
TEST(HaProxy, EqualsTakeTurns) {
  PolicyRig rig("haproxy", {.replicas = 3});
  for (const char* name : {"a", "b", "c"}) rig.session(name);
  rig.finish(1);
  rig.finish(3);
  rig.finish(2);
  EXPECT_EQ(rig.session("d"), Where(0));
  EXPECT_EQ(rig.session("e"), Where(2));
  EXPECT_EQ(rig.session("f"), Where(1));
}

TEST(HaProxy, SubagentsFollowTheirSession) {
  PolicyRig rig("haproxy");
  const Where home = rig.session("a");
  EXPECT_EQ(rig.session("a", "agent-1"), home);
  EXPECT_EQ(rig.session("a", "agent-2"), home);
}

TEST(HaProxy, WithoutASessionItIsLeastconnAlone) {
  PolicyRig rig("haproxy", {.replicas = 2});
  EXPECT_EQ(rig.text("aaaa"), Where(0));
  EXPECT_EQ(rig.text("aaaa"), Where(1));
}

TEST(HaProxy, AStuckSessionWaitsAtItsFullServerThoughOthersAreIdle) {
  PolicyRig rig("haproxy", {.replicas = 2, .max_num_seqs = 2});
  EXPECT_EQ(rig.session("a"), Where(0));
  EXPECT_EQ(rig.session("a"), Where(0));
  EXPECT_EQ(rig.session("a"), std::nullopt);
  EXPECT_TRUE(rig.was_held());
  EXPECT_EQ(rig.session("b"), Where(1));
  rig.finish(2);
  EXPECT_THAT(rig.released(), ElementsAre(Pair(3, 0)));
}

// Both full. `b`, stuck to 1, came before the new session `c`; a place on 1 is b's, one on 0 is
// c's.
TEST(HaProxy, AFreePlaceGoesToTheOlderOfTheServersAndTheBackendsQueue) {
  PolicyRig rig("haproxy", {.replicas = 2, .max_num_seqs = 1});
  rig.session("a");
  rig.session("b");
  EXPECT_EQ(rig.session("b"), std::nullopt);
  EXPECT_EQ(rig.session("c"), std::nullopt);
  EXPECT_EQ(rig.session("a"), std::nullopt);
  rig.finish(2);
  EXPECT_THAT(rig.released(), ElementsAre(Pair(3, 1)));
  rig.finish(1);
  EXPECT_THAT(rig.released(), ElementsAre(Pair(4, 0)));  // c came before a's second
  rig.finish(4);
  EXPECT_THAT(rig.released(), ElementsAre(Pair(5, 0)));
  EXPECT_EQ(rig.session("c"), std::nullopt);  // c is stuck to 0 now
  rig.finish(5);
  EXPECT_THAT(rig.released(), ElementsAre(Pair(6, 0)));
}

TEST(HaProxy, AServerWithAQueueTakesNoNewSessions) {
  PolicyRig rig("haproxy", {.replicas = 2, .max_num_seqs = 2});
  for (int i = 0; i < 3; ++i) rig.session("a");
  rig.session("b");
  EXPECT_EQ(rig.session("c"), Where(1));
  EXPECT_EQ(rig.session("d"), std::nullopt);
}

TEST(HaProxy, WhoLeavesTheQueueIsForgotten) {
  PolicyRig rig("haproxy", {.replicas = 1, .max_num_seqs = 1});
  rig.session("a");
  rig.session("a");
  rig.session("b");
  rig.gone(2);
  rig.gone(3);
  rig.finish(1);
  EXPECT_THAT(rig.released(), IsEmpty());
  EXPECT_EQ(rig.session("c"), Where(0));
}

TEST(HaProxy, SessionsOfALostServerMoveForGood) {
  PolicyRig rig("haproxy", {.replicas = 2});
  EXPECT_EQ(rig.session("a"), Where(0));
  rig.gone(1);
  rig.lose(0);
  EXPECT_EQ(rig.session("a"), Where(1));
  rig.back(0);
  EXPECT_EQ(rig.session("a"), Where(1));
}

TEST(HaProxy, ASessionThatWasSilentDuringTheOutageFindsItsServerAgain) {
  PolicyRig rig("haproxy", {.replicas = 2});
  EXPECT_EQ(rig.session("a"), Where(0));
  rig.finish(1);
  rig.lose(0);
  rig.back(0);
  EXPECT_EQ(rig.session("b"), Where(1));
  EXPECT_EQ(rig.session("a"), Where(0));
}

TEST(HaProxy, TheQueueOfALostServerIsGivenOutAgain) {
  PolicyRig rig("haproxy", {.replicas = 2, .max_num_seqs = 1});
  rig.session("a");
  rig.session("a");
  rig.lose(0);
  EXPECT_THAT(rig.released(), ElementsAre(Pair(2, 1)));
}

TEST(HaProxy, AnAddedServerTakesWhatWaitsAtTheBackend) {
  PolicyRig rig("haproxy", {.replicas = 1, .max_num_seqs = 1});
  rig.session("a");
  rig.session("b");
  rig.session("a");
  rig.add(1);
  EXPECT_THAT(rig.released(), ElementsAre(Pair(2, 1)));  // a's second is stuck to 0
}

TEST(HaProxy, NobodyUpRefusesWhatComesAndKeepsWhatWaits) {
  PolicyRig rig("haproxy", {.replicas = 1, .max_num_seqs = 1});
  rig.session("a");
  rig.session("a");
  rig.gone(1);
  EXPECT_THAT(rig.released(), ElementsAre(Pair(2, 0)));
  rig.session("a");
  EXPECT_TRUE(rig.was_held());
  rig.lose(0);
  EXPECT_EQ(rig.session("b"), std::nullopt);
  EXPECT_FALSE(rig.was_held());
  rig.gone(2);
  rig.back(0);
  EXPECT_THAT(rig.released(), ElementsAre(Pair(3, 0)));
}

TEST(HaProxy, ARefusedConnectionIsSentElsewhere) {
  PolicyRig rig("haproxy", {.replicas = 2});
  EXPECT_EQ(rig.session("a"), Where(0));
  EXPECT_EQ(rig.not_started(1), Where(1));
  EXPECT_EQ(rig.session("a"), Where(1));
}

TEST(HaProxy, AnEntryExpiresHalfAnHourAfterItsLastUse) {
  PolicyRig rig("haproxy", {.replicas = 2});
  EXPECT_EQ(rig.session("a"), Where(0));
  rig.pass(std::chrono::minutes(29));
  EXPECT_EQ(rig.session("a"), Where(0));
  rig.pass(std::chrono::minutes(29));
  EXPECT_EQ(rig.session("a"), Where(0));
  rig.pass(std::chrono::minutes(30));
  EXPECT_EQ(rig.session("a"), Where(1));  // leastconn: 3 against none
}

}  // namespace
}  // namespace berth::sim
