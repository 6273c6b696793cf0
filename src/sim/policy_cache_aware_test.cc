#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/policy_test_rig.h"

namespace berth::sim {
namespace {

using Where = PolicyRig::Where;

// Ten blocks of which the first `shared` are those of every other such text.
std::string ten(int shared, char own) {
  const auto n = static_cast<std::size_t>(shared);
  return std::string(n, 's') + std::string(10 - n, own);
}

TEST(Sglang, ATextGoesWhereItWasSentBefore) {
  PolicyRig rig("sglang");
  EXPECT_EQ(rig.text("aaaa"), Where(0));
  EXPECT_EQ(rig.text("bbbb"), Where(1));
  EXPECT_EQ(rig.text("cccc"), Where(2));
  EXPECT_EQ(rig.text("bbbbxx"), Where(1));
  EXPECT_EQ(rig.text("aaaayyyy"), Where(0));
}

// 3 of 10 blocks are not more than 0.3 of the text; 4 are.
TEST(Sglang, TheMatchMustBeMoreThanTheThreshold) {
  PolicyRig rig("sglang");
  EXPECT_EQ(rig.text(ten(5, 'a')), Where(0));
  EXPECT_EQ(rig.text(ten(3, 'b')), Where(1));
  EXPECT_EQ(rig.text(ten(4, 'c')), Where(0));
}

TEST(SglangLibrary, ItsThresholdIsOneHalf) {
  PolicyRig rig("sglang-library");
  EXPECT_EQ(rig.text(ten(10, 'a')), Where(0));
  EXPECT_EQ(rig.text(ten(5, 'b')), Where(1));
  EXPECT_EQ(rig.text(ten(6, 'c')), Where(0));
}

// What makes it fatal for agents: the system prompt alone is more than the threshold.
TEST(Sglang, ASharedPromptOverTheThresholdSendsAllSessionsToOneReplica) {
  PolicyRig rig("sglang");
  for (char own = 'a'; own <= 'p'; ++own) EXPECT_EQ(rig.text(ten(4, own)), Where(0));
}

// Trees of 10, 4 and 6 blocks; then 10, 10 and 6; then all 10: of equals the first.
TEST(Sglang, NewTextGoesToTheSmallestTree) {
  PolicyRig rig("sglang", {.replicas = 3});
  EXPECT_EQ(rig.text("aaaaaaaaaa"), Where(0));
  EXPECT_EQ(rig.text("bbbb"), Where(1));
  EXPECT_EQ(rig.text("cccccc"), Where(2));
  EXPECT_EQ(rig.text("dddddd"), Where(1));
  EXPECT_EQ(rig.text("eeee"), Where(2));
  EXPECT_EQ(rig.text("ffff"), Where(0));
}

TEST(VllmRouter, NewTextGoesToTheOneWithFewestInFlight) {
  PolicyRig rig("vllm-router", {.replicas = 3});
  EXPECT_EQ(rig.text("aaaaaaaaaa"), Where(0));
  const RequestNumber first = rig.last();
  EXPECT_EQ(rig.text("bbbb"), Where(1));
  EXPECT_EQ(rig.text("cccccc"), Where(2));
  rig.finish(first);
  EXPECT_EQ(rig.text("dddd"), Where(0));  // the largest tree, but nothing in flight
  EXPECT_EQ(rig.text("aaaaaaaaaa"), Where(0));
}

// 64 more is not more than 64; 65 are, and more than 1.5 times none.
TEST(Sglang, OnlyAGapOverTheThresholdMakesLoadDecide) {
  PolicyRig rig("sglang", {.replicas = 2});
  for (int i = 0; i < 65; ++i) ASSERT_EQ(rig.text("aaaa"), Where(0)) << i;
  EXPECT_EQ(rig.text("aaaa"), Where(1));
  // The tree has learned it: the text is on both now, and the gap is down to 64.
  EXPECT_EQ(rig.text("aaaa"), Where(0));
}

TEST(SglangLibrary, ItsGapIs32) {
  PolicyRig rig("sglang-library", {.replicas = 2});
  for (int i = 0; i < 33; ++i) ASSERT_EQ(rig.text("aaaa"), Where(0)) << i;
  EXPECT_EQ(rig.text("aaaa"), Where(1));
}

// 195 against 130: a gap of 65, but exactly 1.5 times; 196 are more.
TEST(Sglang, TheRatioMustBeExceededToo) {
  PolicyRig rig("sglang", {.replicas = 2});
  for (int i = 0; i < 130; ++i) {
    ASSERT_EQ(rig.text("aaaa"), Where(0)) << i;
    ASSERT_EQ(rig.text("bbbb"), Where(1)) << i;
  }
  for (int i = 130; i < 196; ++i) ASSERT_EQ(rig.text("aaaa"), Where(0)) << i;
  EXPECT_EQ(rig.text("aaaa"), Where(1));
}

TEST(Sglang, FinishedRequestsDoNotCount) {
  PolicyRig rig("sglang", {.replicas = 2});
  for (int i = 0; i < 65; ++i) ASSERT_EQ(rig.text("aaaa"), Where(0));
  rig.finish(rig.last());
  EXPECT_EQ(rig.text("aaaa"), Where(0));
}

TEST(Sglang, ALostReplicaIsForgottenWhenItsTextIsAskedFor) {
  PolicyRig rig("sglang", {.replicas = 3});
  EXPECT_EQ(rig.text("aaaa"), Where(0));
  EXPECT_EQ(rig.text("bb"), Where(1));
  rig.lose(0);
  EXPECT_EQ(rig.text("aaaa"), Where(1));  // the first healthy one, and the tree does not learn it
  EXPECT_EQ(rig.text("aaaa"), Where(2));  // new text: the smallest tree
  EXPECT_EQ(rig.text("aaaa"), Where(2));
  rig.back(0);
  EXPECT_EQ(rig.text("cccc"), Where(0));  // registered again, with nothing
}

TEST(Sglang, AReplicaThatWasNotAskedForMeanwhileKeepsItsTree) {
  PolicyRig rig("sglang", {.replicas = 2});
  EXPECT_EQ(rig.text("aaaa"), Where(0));
  rig.lose(0);
  rig.back(0);
  EXPECT_EQ(rig.text("aaaa"), Where(0));
}

TEST(Sglang, ALostReplicaCountsNeitherAsBusiestNorAsIdlest) {
  PolicyRig rig("sglang", {.replicas = 3});
  for (int i = 0; i < 60; ++i) rig.text("aaaa");
  for (int i = 0; i < 40; ++i) rig.text("bbbb");
  rig.lose(2);
  for (int i = 60; i < 80; ++i) ASSERT_EQ(rig.text("aaaa"), Where(0)) << i;  // 80 - 40, not 80 - 0
}

TEST(Sglang, AnAddedReplicaHasTheSmallestTree) {
  PolicyRig rig("sglang", {.replicas = 2});
  rig.text("aaaa");
  rig.text("bbbb");
  rig.add(2);
  EXPECT_EQ(rig.text("cccc"), Where(2));
}

TEST(Sglang, NobodyUpRefuses) {
  PolicyRig rig("sglang", {.replicas = 1});
  rig.lose(0);
  EXPECT_EQ(rig.text("aaaa"), std::nullopt);
}

// Blocks of 2^20 tokens: 2^26 characters at four a token are 16 of them. A replica with 20 loses
// its oldest text at the next eviction, 120 s after the last.
TEST(Sglang, EvictionEveryTwoMinutesDownToTheLimit) {
  PolicyRig rig("sglang", {.replicas = 1, .block_size = 1U << 20});
  rig.pass({});
  rig.text(ten(0, 'a'));
  rig.text(ten(0, 'b'));
  const auto counts = [&] { return rig.policy().notes({}).front(); };
  rig.pass(std::chrono::seconds(119));
  rig.text(ten(0, 'a'));
  EXPECT_THAT(counts(), ::testing::HasSubstr("by their text 1, new text 2"));
  rig.pass(std::chrono::seconds(1));
  rig.text(ten(0, 'a'));
  EXPECT_THAT(counts(), ::testing::HasSubstr("by their text 2, new text 2"));
  rig.text(ten(0, 'b'));
  EXPECT_THAT(counts(), ::testing::HasSubstr("by their text 2, new text 3"));
}

}  // namespace
}  // namespace berth::sim
