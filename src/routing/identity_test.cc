// Which header or body field of which client names the conversation, in which order.
#include "routing/identity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace berth::routing {
namespace {

using Headers = std::map<std::string, std::string>;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

IdentityInputs inputs_of(const Headers& headers) {
  IdentityInputs inputs;
  inputs.header = [&headers](std::string_view name) -> std::string_view {
    const auto found = headers.find(lower(name));
    return found == headers.end() ? std::string_view{} : found->second;
  };
  return inputs;
}

Identity from(const Headers& headers, const IdentityRules& rules = IdentityRules::defaults()) {
  return identify(inputs_of(headers), rules);
}

TEST(Identity, NothingNamesNothing) {
  const Identity none = from({{"user-agent", "curl"}});
  EXPECT_EQ(none.source, IdentitySource::kNone);
  EXPECT_TRUE(none.session.empty());
  EXPECT_EQ(none.kind, RequestKind::kTurn);
}

TEST(Identity, ClaudeCodeMainConversation) {
  const Identity main = from({{"x-claude-code-session-id", "s"}});
  EXPECT_EQ(main.source, IdentitySource::kClaudeCode);
  EXPECT_EQ(main.session, "s");
  EXPECT_TRUE(main.agent.empty());
  EXPECT_TRUE(main.parent_session.empty());
}

TEST(Identity, ClaudeCodeSubagentIsItsOwnConversationBelowMain) {
  const Identity agent =
      from({{"x-claude-code-session-id", "s"}, {"x-claude-code-agent-id", "a1"}});
  EXPECT_EQ(agent.session, "s");
  EXPECT_EQ(agent.agent, "a1");
  EXPECT_EQ(agent.parent_session, "s");
  EXPECT_TRUE(agent.parent_agent.empty());
  EXPECT_FALSE(agent.fork);
}

TEST(Identity, ClaudeCodeNestedAgentNamesItsParentAgent) {
  const Identity nested = from({{"x-claude-code-session-id", "s"},
                                {"x-claude-code-agent-id", "a2"},
                                {"x-claude-code-parent-agent-id", "a1"}});
  EXPECT_EQ(nested.parent_session, "s");
  EXPECT_EQ(nested.parent_agent, "a1");
}

TEST(Identity, ClaudeCodeForkIsMarked) {
  EXPECT_TRUE(from({{"x-claude-code-session-id", "s"},
                    {"x-claude-code-agent-id", "a"},
                    {"x-claude-code-agent-type", "fork"}})
                  .fork);
}

TEST(Identity, CodexRootThreadIsTheSession) {
  const Identity root = from({{"thread-id", "t"}, {"session-id", "t"}});
  EXPECT_EQ(root.source, IdentitySource::kCodexThread);
  EXPECT_EQ(root.session, "t");
  EXPECT_TRUE(root.agent.empty());
  EXPECT_TRUE(root.parent_session.empty());
}

TEST(Identity, CodexSubThreadIsAnAgentOfTheRootSession) {
  const Identity sub = from({{"thread-id", "t2"}, {"session-id", "root"}});
  EXPECT_EQ(sub.session, "root");
  EXPECT_EQ(sub.agent, "t2");
  EXPECT_EQ(sub.parent_session, "root");
  EXPECT_TRUE(sub.parent_agent.empty());

  const Identity below_root =
      from({{"thread-id", "t2"}, {"session-id", "root"}, {"x-codex-parent-thread-id", "root"}});
  EXPECT_TRUE(below_root.parent_agent.empty());

  const Identity deeper =
      from({{"thread-id", "t3"}, {"session-id", "root"}, {"x-codex-parent-thread-id", "t2"}});
  EXPECT_EQ(deeper.parent_agent, "t2");
}

TEST(Identity, CodexThreadAloneWithAParent) {
  const Identity sub = from({{"thread-id", "t2"}, {"x-codex-parent-thread-id", "t1"}});
  EXPECT_EQ(sub.session, "t2");
  EXPECT_EQ(sub.parent_session, "t1");
  EXPECT_TRUE(sub.parent_agent.empty());
}

TEST(Identity, OldCodexSpellingsWithUnderscore) {
  EXPECT_EQ(from({{"session_id", "s"}}).source, IdentitySource::kCodexSession);
  EXPECT_EQ(from({{"session-id", "s"}}).session, "s");
  const Identity thread = from({{"session_id", "s"}, {"thread_id", "t"}});
  EXPECT_EQ(thread.source, IdentitySource::kCodexThread);
  EXPECT_EQ(thread.agent, "t");
}

TEST(Identity, OpenCodeAndKinNameTheParentSession) {
  const Identity main = from({{"x-session-affinity", "ses_1"}, {"x-session-id", "ses_1"}});
  EXPECT_EQ(main.source, IdentitySource::kSessionAffinity);
  EXPECT_EQ(main.session, "ses_1");
  const Identity child = from({{"x-session-id", "ses_2"}, {"x-parent-session-id", "ses_1"}});
  EXPECT_EQ(child.source, IdentitySource::kSessionId);
  EXPECT_EQ(child.session, "ses_2");
  EXPECT_EQ(child.parent_session, "ses_1");
}

TEST(Identity, GooseSessionHeader) {
  EXPECT_EQ(from({{"agent-session-id", "g"}}).source, IdentitySource::kAgentSessionId);
}

TEST(Identity, BodyFieldsComeAfterAllHeaders) {
  const Headers headers{{"agent-session-id", "g"}};
  IdentityInputs inputs = inputs_of(headers);
  inputs.prompt_cache_key = "cache";
  inputs.metadata_session = "meta";
  EXPECT_EQ(identify(inputs, IdentityRules::defaults()).session, "g");
  const Headers none;
  inputs.header = inputs_of(none).header;
  EXPECT_EQ(identify(inputs, IdentityRules::defaults()).source, IdentitySource::kPromptCacheKey);
  inputs.prompt_cache_key = {};
  EXPECT_EQ(identify(inputs, IdentityRules::defaults()).source, IdentitySource::kMetadataUserId);
}

TEST(Identity, TheDefaultOrderIsKept) {
  Headers all{{"x-team-session", "operator"}, {"x-claude-code-session-id", "claude"},
              {"thread-id", "thread"},        {"session-id", "session"},
              {"x-session-affinity", "aff"},  {"x-session-id", "sid"},
              {"agent-session-id", "goose"}};
  IdentityRules rules = IdentityRules::defaults();
  rules.operator_headers = {"x-team-session"};
  const std::vector<std::pair<std::string, std::string>> order{
      {"x-team-session", "operator"}, {"x-claude-code-session-id", "claude"},
      {"thread-id", "session"},       {"session-id", "session"},
      {"x-session-affinity", "aff"},  {"x-session-id", "sid"},
      {"agent-session-id", "goose"}};
  for (const auto& [header, session] : order) {
    EXPECT_EQ(from(all, rules).session, session) << header;
    all.erase(header);
  }
  EXPECT_EQ(from(all, rules).source, IdentitySource::kNone);
}

TEST(Identity, TheOrderIsTheOperators) {
  const Headers headers{{"x-claude-code-session-id", "claude"}, {"x-session-id", "sid"}};
  IdentityRules rules;
  rules.order = {IdentitySource::kSessionId, IdentitySource::kClaudeCode};
  EXPECT_EQ(from(headers, rules).session, "sid");
  rules.order = {IdentitySource::kMetadataUserId};
  EXPECT_EQ(from(headers, rules).source, IdentitySource::kNone);
}

TEST(Identity, AnOperatorsHeaderStillTellsAgentsApart) {
  IdentityRules rules = IdentityRules::defaults();
  rules.operator_headers = {"x-first", "x-second"};
  const Identity agent = from({{"x-second", "static"}, {"x-claude-code-agent-id", "a1"}}, rules);
  EXPECT_EQ(agent.source, IdentitySource::kOperatorHeader);
  EXPECT_EQ(agent.session, "static");
  EXPECT_EQ(agent.agent, "a1");
  EXPECT_EQ(agent.parent_session, "static");
}

TEST(Identity, ContentBeforeABodyFieldWins) {
  const Headers none;
  IdentityInputs inputs = inputs_of(none);
  inputs.metadata_session = "meta";
  inputs.chain = {1, 2};
  IdentityRules rules;
  rules.order = {IdentitySource::kContent, IdentitySource::kMetadataUserId};
  EXPECT_EQ(identify(inputs, rules).source, IdentitySource::kNone);
  inputs.chain.clear();
  EXPECT_EQ(identify(inputs, rules).session, "meta");
}

TEST(Identity, ContentCanBeSwitchedOff) {
  IdentityRules rules = IdentityRules::defaults();
  EXPECT_TRUE(rules.by_content());
  rules.order = {IdentitySource::kClaudeCode};
  EXPECT_FALSE(rules.by_content());
}

TEST(Identity, AnIdOverTheCapIsAbsentAndTheNextSourceDecides) {
  const std::string longest(kMaxIdBytes, 'x');
  EXPECT_EQ(from({{"x-session-id", longest}}).session, longest);
  const Identity other =
      from({{"x-claude-code-session-id", longest + "x"}, {"x-session-id", "sid"}});
  EXPECT_EQ(other.source, IdentitySource::kSessionId);
}

TEST(Identity, PlaceholdersAndBlanksNameNobody) {
  for (const char* value : {"", " ", "\t", "n/a", "N/A", "NA", "none", "None", "null", "NULL",
                            "undefined", "nil", "-", "unknown", " n/a "}) {
    EXPECT_EQ(from({{"x-session-id", value}}).source, IdentitySource::kNone) << value;
  }
  for (const char* value : {"none-of-these", "0", "nullable", "n"}) {
    EXPECT_EQ(from({{"x-session-id", value}}).session, value);
  }
}

TEST(Identity, BlanksAroundAnIdDoNotMakeAnother) {
  EXPECT_EQ(from({{"x-session-id", " s\t"}}).session, "s");
}

TEST(Identity, ASelfNamedParentIsNoParent) {
  EXPECT_TRUE(from({{"x-session-id", "s"}, {"x-parent-session-id", "s"}}).parent_session.empty());
}

TEST(Identity, ARequestLookingLikeASideRequestIsOne) {
  const Headers headers{{"x-session-affinity", "ses"}};
  IdentityInputs inputs = inputs_of(headers);
  inputs.looks_like_side_request = true;
  const Identity side = identify(inputs, IdentityRules::defaults());
  EXPECT_EQ(side.kind, RequestKind::kSide);
  EXPECT_EQ(side.session, "ses");
}

TEST(Identity, TheClientsOwnClassBeatsTheGuess) {
  Headers headers{{"x-claude-code-session-id", "s"}, {"x-claude-code-request-class", "auxiliary"}};
  EXPECT_EQ(from(headers).kind, RequestKind::kSide);
  for (const char* turn : {"main", "subagent", "workflow", "compaction"}) {
    headers["x-claude-code-request-class"] = turn;
    IdentityInputs inputs = inputs_of(headers);
    inputs.looks_like_side_request = true;
    const Identity found = identify(inputs, IdentityRules::defaults());
    EXPECT_EQ(found.kind, RequestKind::kTurn) << turn;
    EXPECT_TRUE(found.declared_turn) << turn;
  }
  headers["x-claude-code-request-class"] = "something-newer";
  IdentityInputs inputs = inputs_of(headers);
  inputs.looks_like_side_request = true;
  EXPECT_EQ(identify(inputs, IdentityRules::defaults()).kind, RequestKind::kSide);
  EXPECT_FALSE(from({{"x-claude-code-session-id", "s"}}).declared_turn);
}

TEST(Identity, CodexCompactionAndSubagentsAreTurns) {
  Headers headers{{"thread-id", "t"}, {"x-openai-subagent", ""}};
  for (const char* kind : {"compact", "review", "memory_consolidation", "collab_spawn"}) {
    headers["x-openai-subagent"] = kind;
    IdentityInputs inputs = inputs_of(headers);
    inputs.looks_like_side_request = true;
    const Identity found = identify(inputs, IdentityRules::defaults());
    EXPECT_EQ(found.kind, RequestKind::kTurn) << kind;
    EXPECT_TRUE(found.declared_turn) << kind;
  }
  EXPECT_FALSE(from({{"thread-id", "t"}, {"x-openai-subagent", "titles"}}).declared_turn);
}

TEST(Identity, WorksWithoutAHeaderSource) {
  IdentityInputs inputs;
  inputs.prompt_cache_key = "key";
  EXPECT_EQ(identify(inputs, IdentityRules::defaults()).session, "key");
}

}  // namespace
}  // namespace berth::routing
