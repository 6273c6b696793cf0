#include "sim/prefix_tree.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sim/policy_test_rig.h"
#include "sim/random.h"

namespace berth::sim {
namespace {

using Where = std::optional<routing::ReplicaIndex>;

class Texts {
 public:
  void insert(const std::string& text, routing::ReplicaIndex replica) {
    tree.insert(*blocks_of(text), replica);
  }
  std::pair<std::size_t, Where> match(const std::string& text) {
    const BlockList blocks = blocks_of(text);
    const PrefixTree::Match found = tree.match(*blocks);
    return {found.blocks, found.replica};
  }
  PrefixTree tree;
};

std::pair<std::size_t, Where> is(std::size_t blocks, Where where) { return {blocks, where}; }

TEST(PrefixTree, TheLongestCommonBeginningAndWhoHasIt) {
  Texts t;
  EXPECT_EQ(t.match("abc"), is(0, std::nullopt));
  t.insert("abcdef", 0);
  t.insert("abcxyz", 1);
  EXPECT_EQ(t.match("abcdef"), is(6, 0));
  EXPECT_EQ(t.match("abcdefghi"), is(6, 0));
  EXPECT_EQ(t.match("abcde"), is(5, 0));
  EXPECT_EQ(t.match("abcxq"), is(4, 1));
  EXPECT_EQ(t.match("zzz"), is(0, std::nullopt));
  EXPECT_EQ(t.match(""), is(0, std::nullopt));
}

TEST(PrefixTree, WhatSeveralHaveBelongsToTheOneThatHadItFirst) {
  Texts t;
  t.insert("abcdef", 2);
  t.insert("abcxyz", 1);
  EXPECT_EQ(t.match("abcq"), is(3, 2));
  t.insert("abc", 0);
  EXPECT_EQ(t.match("abc"), is(3, 2));
  t.tree.forget(2);
  EXPECT_EQ(t.match("abc"), is(3, 1));
  EXPECT_EQ(t.match("abcdef"), is(3, 1));
}

TEST(PrefixTree, SizesCountSharedTextForEveryOwner) {
  Texts t;
  t.tree.add(0);
  t.tree.add(1);
  EXPECT_EQ(t.tree.smallest(), Where(0));
  t.insert("abcdef", 0);
  EXPECT_EQ(t.tree.size(0), 6U);
  EXPECT_EQ(t.tree.smallest(), Where(1));
  t.insert("abcx", 1);
  EXPECT_EQ(t.tree.size(0), 6U);
  EXPECT_EQ(t.tree.size(1), 4U);
  t.insert("abcx", 0);
  EXPECT_EQ(t.tree.size(0), 7U);
  t.insert("abcxyz", 1);
  EXPECT_EQ(t.tree.size(1), 6U);
  EXPECT_EQ(t.tree.smallest(), Where(1));
}

TEST(PrefixTree, ForgettingLeavesTheTextOfTheOthers) {
  Texts t;
  t.insert("abcdef", 0);
  t.insert("abcdxy", 1);
  t.tree.forget(0);
  EXPECT_EQ(t.tree.size(0), 0U);
  EXPECT_EQ(t.tree.smallest(), Where(1));
  EXPECT_EQ(t.match("abcdef"), is(4, 1));
  EXPECT_EQ(t.match("abcdxy"), is(6, 1));
}

// Three texts, each ten blocks of which four are shared: 4 + 3 * 6 = 22 blocks.
TEST(PrefixTree, EvictionTakesWholeLeavesLeastRecentlyUsedFirst) {
  Texts t;
  t.insert("abcd111111", 0);
  t.insert("abcd222222", 0);
  t.insert("abcd333333", 0);
  EXPECT_EQ(t.tree.size(0), 22U);
  t.match("abcd111111");
  t.tree.evict(22);
  EXPECT_EQ(t.tree.size(0), 22U);
  t.tree.evict(21);
  EXPECT_EQ(t.tree.size(0), 16U);  // the second went whole
  EXPECT_EQ(t.match("abcd222222"), is(4, 0));
  EXPECT_EQ(t.match("abcd333333"), is(10, 0));
  t.tree.evict(10);
  EXPECT_EQ(t.match("abcd111111"), is(4, 0));
  EXPECT_EQ(t.match("abcd333333"), is(10, 0));
  t.tree.evict(9);
  EXPECT_EQ(t.tree.size(0), 4U);
  t.tree.evict(0);
  EXPECT_EQ(t.tree.size(0), 0U);
  EXPECT_EQ(t.match("abcd"), is(0, std::nullopt));
  EXPECT_EQ(t.tree.smallest(), Where(0));  // known, with nothing
}

TEST(PrefixTree, EvictionIsByReplica) {
  Texts t;
  t.insert("aaaa1111", 0);
  t.insert("aaaa22", 1);
  t.tree.evict(6);
  EXPECT_EQ(t.tree.size(0), 4U);
  EXPECT_EQ(t.tree.size(1), 6U);
  t.insert("aaaa1111", 1);
  EXPECT_EQ(t.match("aaaa1111"), is(8, 1));
  EXPECT_EQ(t.match("aaaa"), is(4, 0));
}

// Against the plain thing: for every replica the set of all beginnings it was sent.
TEST(PrefixTree, RandomTextsMatchAsASetOfBeginningsDoes) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    Texts t;
    std::vector<std::set<std::string>> sent(3);
    for (int step = 0; step < 30; ++step) {
      std::string text;
      const std::uint64_t length = random.below(9);
      for (std::uint64_t i = 0; i < length; ++i) text += random.chance(0.5) ? 'a' : 'b';
      std::size_t longest = 0;
      for (std::size_t n = 1; n <= text.size(); ++n) {
        for (const auto& mine : sent) longest = mine.contains(text.substr(0, n)) ? n : longest;
      }
      const auto [blocks, where] = t.match(text);
      ASSERT_EQ(blocks, longest);
      ASSERT_EQ(where.has_value(), longest > 0);
      if (where) {
        ASSERT_TRUE(sent[*where].contains(text.substr(0, longest)));
      }
      const auto replica = static_cast<routing::ReplicaIndex>(random.below(3));
      t.insert(text, replica);
      for (std::size_t n = 1; n <= text.size(); ++n) sent[replica].insert(text.substr(0, n));
      for (routing::ReplicaIndex i = 0; i < 3; ++i) ASSERT_EQ(t.tree.size(i), sent[i].size());
      if (random.chance(0.1)) {
        const auto gone = static_cast<routing::ReplicaIndex>(random.below(3));
        t.tree.forget(gone);
        sent[gone].clear();
      }
    }
  }
}

}  // namespace
}  // namespace berth::sim
