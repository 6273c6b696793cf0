// Conversations recognised by the chains of their histories.
#include "routing/chain_index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::routing {
namespace {

// The chain of a history whose messages are these numbers: each hash covers all up to its message.
std::vector<ChainHash> history(const std::vector<int>& messages) {
  std::vector<ChainHash> chain;
  ChainHash sum = 7;
  for (const int message : messages) {
    sum = mix(sum, static_cast<std::uint64_t>(message));
    chain.push_back(sum);
  }
  return chain;
}

ConversationKey key_for(const std::string& session) { return {"tenant", "model", session, ""}; }

class Chains : public ::testing::Test {
 protected:
  ChainMatch see(const std::vector<int>& messages) {
    return index.recognise(history(messages), "tenant", "model");
  }
  std::string session(const std::vector<int>& messages) {
    return see(messages).conversation.session;
  }

  ChainIndex index{100, 1};
};

TEST_F(Chains, AGrowingHistoryIsOneConversation) {
  const ChainMatch first = see({1});
  EXPECT_FALSE(first.parent);
  const ChainMatch second = see({1, 2, 3});
  EXPECT_EQ(second.conversation, first.conversation);
  EXPECT_FALSE(second.parent);
  EXPECT_EQ(see({1, 2, 3, 4, 5}).conversation, first.conversation);
  EXPECT_EQ(index.conversations(), 1u);
}

TEST_F(Chains, ARepeatOfTheLastHistoryIsARetry) {
  const std::string first = session({1, 2, 3});
  EXPECT_EQ(session({1, 2, 3}), first);
  EXPECT_EQ(session({1, 2, 3, 4, 5}), first);
}

TEST_F(Chains, DifferentOpenersAreDifferentConversations) { EXPECT_NE(session({1}), session({2})); }

TEST_F(Chains, TheSameOpenerIsOneUntilTheyDivergeAndTheFirstToGoOnKeepsTheKey) {
  const std::string shared = session({1});
  EXPECT_EQ(session({1}), shared);
  EXPECT_EQ(session({1, 20, 21}), shared);
  const ChainMatch other = see({1, 30, 31});
  EXPECT_NE(other.conversation.session, shared);
  ASSERT_TRUE(other.parent);
  EXPECT_EQ(other.parent->session, shared);
  // From here on both go their own ways.
  EXPECT_EQ(session({1, 20, 21, 22, 23}), shared);
  EXPECT_EQ(see({1, 30, 31, 32, 33}).conversation, other.conversation);
}

TEST_F(Chains, ASecondSessionWithTheSameOpenerAndTheSameFirstAnswerGoesOnAsItself) {
  const std::string first = session({1});
  session({1, 2, 3});
  session({1, 2, 3, 4, 5});
  const std::string second = session({1});
  ASSERT_NE(second, first);
  const ChainMatch turn = see({1, 2, 30});  // the same answer, another result of the tool
  EXPECT_EQ(turn.conversation.session, second);
  EXPECT_FALSE(turn.parent);
  EXPECT_EQ(session({1, 2, 30, 40, 50}), second);
  EXPECT_EQ(session({1, 2, 3, 4, 5, 6, 7}), first);

  const std::string third = session({1});
  ASSERT_NE(third, first);
  ASSERT_NE(third, second);
  EXPECT_EQ(session({1, 2, 3}), third);  // even the tool's result is the same
  EXPECT_EQ(session({1, 2, 3, 60, 61}), third);
  EXPECT_EQ(session({1, 2, 3, 4, 5, 6, 7, 8, 9}), first);
}

TEST_F(Chains, ASessionThatNeverWentOnDoesNotTakeALaterForkOfAnother) {
  const std::string first = session({1});
  session({1, 2, 3});
  session({1, 2, 3, 4, 5, 6, 7, 8, 9});
  const std::string idle = session({1});
  const ChainMatch fork = see({1, 2, 3, 4, 5, 6, 70, 80});
  EXPECT_NE(fork.conversation.session, idle);
  ASSERT_TRUE(fork.parent);
  EXPECT_EQ(fork.parent->session, first);
}

TEST_F(Chains, AHistoryThatLeavesAnInnerMessageIsAForkOfThatConversation) {
  const std::string parent = session({1});
  session({1, 2, 3});
  session({1, 2, 3, 4, 5});
  const ChainMatch fork = see({1, 2, 3, 4, 50});
  EXPECT_NE(fork.conversation.session, parent);
  ASSERT_TRUE(fork.parent);
  EXPECT_EQ(fork.parent->session, parent);
  EXPECT_EQ(session({1, 2, 3, 4, 5, 6, 7}), parent);
}

TEST_F(Chains, ARewindIsAFork) {
  const std::string parent = session({1});
  session({1, 2, 3});
  session({1, 2, 3, 4, 5});
  const ChainMatch rewound = see({1, 2, 3});
  EXPECT_NE(rewound.conversation.session, parent);
  ASSERT_TRUE(rewound.parent);
  EXPECT_EQ(rewound.parent->session, parent);
  EXPECT_EQ(session({1, 2, 3, 40, 41}), rewound.conversation.session);
  EXPECT_EQ(session({1, 2, 3, 4, 5, 6}), parent);
}

TEST_F(Chains, AForkOfAForkNamesTheFork) {
  session({1});
  session({1, 2, 3});
  const std::string fork = session({1, 20, 30});
  session({1, 20, 30, 40, 50});
  const ChainMatch second = see({1, 20, 30, 41, 51});
  ASSERT_TRUE(second.parent);
  EXPECT_EQ(second.parent->session, fork);
}

TEST_F(Chains, ALastMessageThatTheClientRewritesEachTurnDoesNotBreakTheConversation) {
  // 90, 91, 92: the newest message with a reminder that is gone in the next turn.
  const std::string first = session({1, 2, 90});
  EXPECT_EQ(session({1, 2, 3, 4, 91}), first);
  EXPECT_EQ(session({1, 2, 3, 4, 5, 6, 92}), first);
}

TEST_F(Chains, ANewSessionWithTheSameFirstMessageIsNobodysChild) {
  const std::string old = session({1});
  session({1, 2, 3});
  const ChainMatch fresh = see({1});
  EXPECT_NE(fresh.conversation.session, old);
  EXPECT_FALSE(fresh.parent);
  // It has its own chain now, and the old one still goes on.
  EXPECT_EQ(session({1, 20, 21}), fresh.conversation.session);
  EXPECT_EQ(session({1, 2, 3, 4, 5}), old);
}

TEST_F(Chains, ASharedOpeningBeforeTheFirstAnswerMakesNoKinship) {
  // 1: environment, 2: a canned greeting, then the user's own words.
  const std::string first = session({1, 2, 10});
  const ChainMatch second = see({1, 2, 20});
  EXPECT_NE(second.conversation.session, first);
  EXPECT_FALSE(second.parent);
  session({1, 2, 10, 11, 12});
  EXPECT_FALSE(see({1, 2, 30}).parent);
}

TEST_F(Chains, ALongHistorySeenForTheFirstTimeHasKinBeyondTheOpening) {
  std::vector<int> messages;
  for (int i = 1; i <= 20; ++i) messages.push_back(i);
  const std::string parent = session(messages);
  std::vector<int> branch(messages.begin(), messages.begin() + 15);
  branch.push_back(100);
  const ChainMatch fork = see(branch);
  ASSERT_TRUE(fork.parent);
  EXPECT_EQ(fork.parent->session, parent);
}

TEST_F(Chains, AMessageHasABoundedNumberOfChildren) {
  const std::string parent = session({1});
  session({1, 2, 3});
  for (std::uint32_t i = 0; i < ChainIndex::kMaxChildren; ++i) {
    EXPECT_TRUE(see({1, 100 + static_cast<int>(i), 0}).parent) << i;
  }
  EXPECT_FALSE(see({1, 200, 0}).parent);
  EXPECT_EQ(session({1, 2, 3, 4}), parent);
}

TEST_F(Chains, TenantsAndModelsNeverMeet) {
  const auto chain = history({1, 2, 3});
  const ChainMatch a = index.recognise(chain, "a", "m");
  const ChainMatch b = index.recognise(chain, "b", "m");
  const ChainMatch n = index.recognise(chain, "a", "n");
  EXPECT_EQ(index.conversations(), 3u);
  EXPECT_EQ(a.conversation.tenant, "a");
  EXPECT_EQ(b.conversation.tenant, "b");
  EXPECT_EQ(n.conversation.model, "n");
  EXPECT_FALSE(b.parent);
}

TEST_F(Chains, ANamedConversationIsFollowedWhateverItsHistoryDoes) {
  const ConversationKey named = key_for("named");
  EXPECT_FALSE(index.follow(named, history({1})));
  EXPECT_FALSE(index.follow(named, history({1, 2, 3})));
  EXPECT_FALSE(index.follow(named, history({1})));       // rewound
  EXPECT_FALSE(index.follow(named, history({50, 51})));  // compacted
  EXPECT_EQ(index.conversations(), 1u);
}

TEST_F(Chains, ACopyOfAHistoryUnderANewNameIsAFork) {
  const ConversationKey old = key_for("old");
  index.follow(old, history({1}));
  index.follow(old, history({1, 2, 3}));
  EXPECT_EQ(index.follow(key_for("fork"), history({1, 2, 3, 4, 50})), old);
  EXPECT_EQ(index.follow(key_for("fork"), history({1, 2, 3, 4, 50, 51, 52})), std::nullopt);
  EXPECT_EQ(index.follow(key_for("same-opener"), history({1})), std::nullopt);
  EXPECT_EQ(index.follow(key_for("stranger"), history({7})), std::nullopt);
}

TEST_F(Chains, LookingUpTeachesNothing) {
  EXPECT_FALSE(index.find(history({1}), "tenant", "model"));
  EXPECT_EQ(index.conversations(), 0u);
  const std::string known = session({1, 2, 3});
  EXPECT_EQ(index.find(history({1, 2, 3, 9}), "tenant", "model")->session, known);
  EXPECT_FALSE(index.find(history({5}), "tenant", "model"));
  EXPECT_FALSE(index.find(history({1, 2, 3}), "another", "model"));
  EXPECT_EQ(session({1, 2, 3, 4}), known);
}

TEST_F(Chains, NamesAreTheSameAgainAfterTheIndexIsLost) {
  const std::string a = session({1});
  session({1, 2, 3});
  const std::string b = session({1, 30, 31});
  const std::string c = session({5});
  ChainIndex later(100, 2);
  EXPECT_EQ(later.recognise(history({5, 6, 7, 8, 9}), "tenant", "model").conversation.session, c);
  EXPECT_EQ(later.recognise(history({1, 2, 3, 4, 5}), "tenant", "model").conversation.session, a);
  EXPECT_EQ(later.recognise(history({1, 30, 31, 32}), "tenant", "model").conversation.session, b);
}

TEST_F(Chains, ARestoredEndIsContinued) {
  const std::string before = session({1, 2, 3});
  const auto end = index.end_of(key_for(before));
  ASSERT_TRUE(end);
  ChainIndex later(100, 2);
  later.restore(key_for(before), *end);
  EXPECT_EQ(later.recognise(history({1, 2, 3, 4, 5}), "tenant", "model").conversation.session,
            before);
  EXPECT_EQ(later.recognise(history({1, 2, 3, 4, 5, 6}), "tenant", "model").conversation.session,
            before);
}

TEST_F(Chains, AForgottenConversationIsUnknown) {
  const std::string before = session({1, 2, 3});
  index.forget(key_for(before));
  EXPECT_EQ(index.conversations(), 0u);
  EXPECT_EQ(index.nodes(), 0u);
  EXPECT_FALSE(index.end_of(key_for(before)));
}

TEST_F(Chains, TheLeastRecentlyUsedConversationGoesFirst) {
  ChainIndex small(3, 1);
  const auto see_in = [&](const std::vector<int>& messages) {
    return small.recognise(history(messages), "t", "m").conversation.session;
  };
  const std::string a = see_in({1});
  see_in({2});
  see_in({3});
  EXPECT_EQ(see_in({1, 10}), a);
  see_in({4});  // drops the one of {2}
  EXPECT_EQ(small.conversations(), 3u);
  EXPECT_EQ(see_in({1, 10, 11}), a);
  EXPECT_FALSE(small.find(history({2}), "t", "m"));
}

TEST_F(Chains, AConversationsNodesAreBoundedAndItStillGoesOn) {
  std::vector<int> messages{0};
  const std::string first = session(messages);
  for (int i = 1; i < 600; ++i) {
    messages.push_back(i);
    ASSERT_EQ(session(messages), first) << i;
    ASSERT_LE(index.nodes(), ChainIndex::kMaxNodes);
  }
  // A branch far back still finds its ancestor.
  std::vector<int> branch(messages.begin(), messages.begin() + 300);
  branch.push_back(-1);
  const ChainMatch fork = see(branch);
  ASSERT_TRUE(fork.parent);
  EXPECT_EQ(fork.parent->session, first);
}

TEST_F(Chains, AHugeFirstHistoryCostsNoMoreThanABoundedOne) {
  std::vector<int> messages;
  for (int i = 0; i < 5000; ++i) messages.push_back(i);
  const std::string first = session(messages);
  EXPECT_LE(index.nodes(), ChainIndex::kMaxNodes);
  messages.push_back(-1);
  EXPECT_EQ(session(messages), first);
}

TEST_F(Chains, ManyConversationsLeaveNothingBehindWhenTheyGo) {
  ChainIndex small(10, 1);
  for (int i = 0; i < 500; ++i) {
    small.recognise(history({i % 7, i, i + 1}), "t", "m");
    small.recognise(history({i % 7, i, i + 1, i + 2}), "t", "m");
    ASSERT_LE(small.conversations(), 10u);
    ASSERT_LE(small.nodes(), 10 * ChainIndex::kMaxNodes);
  }
  small.set_capacity(1);
  EXPECT_EQ(small.conversations(), 1u);
  EXPECT_LE(small.nodes(), 4u);
}

}  // namespace
}  // namespace berth::routing
