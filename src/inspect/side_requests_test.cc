#include "inspect/side_requests.h"

#include <gtest/gtest.h>

#include "inspect/test_bodies.h"

namespace berth::inspect {
namespace {

bool side(std::string_view path, const std::string& members) {
  const auto facts = facts_of(path, "{" + members + "}");
  EXPECT_TRUE(facts) << facts.error().message;
  return facts && facts->looks_like_side_request;
}
bool side_messages(const std::string& members) { return side("/v1/messages", members); }
bool side_chat(const std::string& members) { return side("/v1/chat/completions", members); }

constexpr const char* kTools = R"("tools":[{"name":"a"},{"name":"b"},{"name":"c"}],)";

TEST(SideRequests, TheTitleOfAnOpenCodeSession) {
  const std::string title =
      R"("messages":[{"role":"system","content":"You are a title generator. You output ONLY a thread title."},)"
      R"({"role":"user","content":"Generate a title for this conversation:\n"},)"
      R"({"role":"user","content":"fix the tests"}])";
  EXPECT_TRUE(side_chat(title));
  EXPECT_FALSE(side_chat(kTools + title));
  EXPECT_FALSE(side_chat(R"("messages":[{"role":"system","content":"You are opencode."},)"
                         R"({"role":"user","content":"You are a title generator"}])"));
}

TEST(SideRequests, WhatClaudeCodeAsksBesideItsConversation) {
  const std::string base =
      R"({"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.328.abc;"},)"
      R"({"type":"text","text":"You are Claude Code, Anthropic's official CLI for Claude."},)";
  const std::string user = R"("messages":[{"role":"user","content":"<session>fix</session>"}])";
  const auto with_system = [&](const std::string& text) {
    return R"("system":[)" + base + R"({"type":"text","text":")" + text + R"("}],)" + user;
  };
  EXPECT_TRUE(side_messages(
      with_system("You are naming a coding session so the user can pick it out of a long list")));
  EXPECT_TRUE(side_messages(
      with_system("You are a security monitor for autonomous AI coding agents.\\n## Context")));
  EXPECT_TRUE(side_messages(
      with_system("\\nYou are evaluating a hook in Claude Code. The user's text says")));
  EXPECT_FALSE(side_messages(with_system("You are an interactive agent that helps users")));
  EXPECT_FALSE(side_messages(
      kTools + with_system("You are naming a coding session so the user can pick it out")));
  EXPECT_TRUE(side_messages(
      R"("system":"s","messages":[{"role":"user","content":"\nWeb page content:\n---\nx"}])"));
  EXPECT_FALSE(side_messages(
      R"("system":"s","messages":[{"role":"user","content":"\nWeb page content:\n---\nx"},)"
      R"({"role":"assistant","content":"y"}])"));
}

TEST(SideRequests, WhatRepeatsTheConversationIsATurnOfIt) {
  EXPECT_FALSE(side_messages(
      std::string(kTools) +
      R"("system":"s","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},)"
      R"({"role":"user","content":"[SUGGESTION MODE: Suggest what the user might naturally type"}])"));
}

TEST(SideRequests, TheTitleOfACodexThread) {
  EXPECT_TRUE(side(
      "/v1/responses",
      std::string(kTools) +
          R"("instructions":"You are Codex","input":[{"role":"user","content":[{"type":"input_text","text":"# AGENTS.md"}]},)"
          R"({"role":"user","content":[{"type":"input_text","text":"Generate a concise, single-line task title of at most 36"}]}])"));
}

TEST(SideRequests, WhatQwenCodeAsksBesideItsConversation) {
  const std::string history =
      R"({"role":"user","content":"a"},{"role":"assistant","content":"b"},)";
  EXPECT_TRUE(side_chat(
      R"("messages":[)" + history +
      R"({"role":"user","content":"Analyze *only* the content and structure of your immediately preceding response"}])"));
  EXPECT_FALSE(
      side_chat(R"("messages":[)" + history + R"({"role":"user","content":"Analyze the code"}])"));
  EXPECT_TRUE(side_chat(
      R"("messages":[{"role":"system","content":"Generate a concise, sentence-case title (3-7 words) that"},)"
      R"({"role":"user","content":"Conversation so far:"}])"));
  EXPECT_TRUE(side_chat(
      R"("messages":[{"role":"system","content":"Write a short summary label describing what these tool calls accomplished."},)"
      R"({"role":"user","content":"Tools completed:"}])"));
}

TEST(SideRequests, OneTokenProbes) {
  const auto probe = [](const std::string& text, const std::string& more = "") {
    return R"("max_tokens":1,)" + more + R"("messages":[{"role":"user","content":)" + text + "}]";
  };
  EXPECT_TRUE(side_messages(probe(R"("quota")")));
  EXPECT_TRUE(side_messages(probe(R"("test")")));
  EXPECT_TRUE(side_messages(
      probe(R"([{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}])")));
  EXPECT_TRUE(side_messages(
      probe(R"(".")", R"("system":[{"type":"text","text":"You are Claude Code"}],)")));
  // Not every request of one token is a probe.
  EXPECT_FALSE(side_messages(probe(R"("warm this prompt up")")));
  EXPECT_FALSE(side_messages(probe(R"("Hi")", R"("system":"You are helpful.",)")));
  EXPECT_FALSE(side_messages(probe(R"("Hi")", kTools)));
  EXPECT_FALSE(side_messages(R"("max_tokens":2,"messages":[{"role":"user","content":"Hi"}])"));
  EXPECT_FALSE(side_messages(R"("messages":[{"role":"user","content":"Hi"}])"));
}

}  // namespace
}  // namespace berth::inspect
