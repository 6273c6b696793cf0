#include "engine_http/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_http/json.h"

namespace berth::engine_http {
namespace {

using ::testing::HasSubstr;

Turn user(std::string text) { return {.role = Role::kUser, .text = std::move(text), .calls = {}}; }
Turn assistant() { return {.role = Role::kAssistant, .text = "x", .calls = {}}; }
Turn tool_result(std::string text) {
  return {.role = Role::kTool, .text = std::move(text), .calls = {}};
}

Conversation with_tools(std::vector<Turn> turns) {
  return {.tools = {{"Bash", "", "{}"}, {"Read", "", "{}"}}, .turns = std::move(turns)};
}

constexpr const char* kScript =
    R"(berth-script: [{"tool":"Bash","args":{"command":"ls"}},{"text":"done"}])";

TEST(Script, NoneWithoutTheLine) {
  EXPECT_FALSE(scripted_answer(with_tools({user("please run berth-script: []")})));
  EXPECT_FALSE(scripted_answer(with_tools({tool_result(kScript)})));
}

TEST(Script, TheStepFollowsTheAssistantTurns) {
  const std::string opener = std::string("Do it.\n  ") + kScript + "\nthanks";
  auto answer = scripted_answer(with_tools({user(opener)}));
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->calls.size(), 1u);
  EXPECT_EQ(answer->calls[0].name, "Bash");
  EXPECT_EQ(answer->calls[0].arguments, R"({"command":"ls"})");
  answer = scripted_answer(with_tools({user(opener), assistant(), tool_result("f")}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->text, "done");
  EXPECT_TRUE(answer->calls.empty());
  // The last step repeats.
  answer = scripted_answer(
      with_tools({user(opener), assistant(), tool_result("f"), assistant(), user("more")}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->text, "done");
}

TEST(Script, TheLastUserMessageWithAScriptWins) {
  const auto answer = scripted_answer(
      with_tools({user(kScript), assistant(), user(R"(berth-script: [{"text":"second"}])"),
                  assistant(), user("no script here")}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->text, "second");
}

TEST(Script, SeveralCallsAndATextInOneStep) {
  const auto answer = scripted_answer(with_tools({user(
      R"(berth-script: [{"text":"I look.","tools":[{"tool":"Bash","args":{"b":2,"a":1}},{"tool":"Read"}]}])")}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->text, "I look.");
  ASSERT_EQ(answer->calls.size(), 2u);
  EXPECT_EQ(answer->calls[0].arguments, R"({"a":1,"b":2})");
  EXPECT_EQ(answer->calls[1].arguments, "{}");
}

TEST(Script, AToolThatIsNotOfferedIsSaid) {
  const auto answer = scripted_answer(with_tools({user(R"(berth-script: [{"tool":"Fly"}])")}));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->calls.empty());
  EXPECT_THAT(answer->text, HasSubstr("asks for the tool Fly"));
}

TEST(Script, WhatIsNoScriptIsSaid) {
  for (const char* bad : {"berth-script: nothing", "berth-script: {}", "berth-script: []"}) {
    const auto answer = scripted_answer(with_tools({user(bad)}));
    ASSERT_TRUE(answer) << bad;
    EXPECT_THAT(answer->text, HasSubstr("not a JSON array of steps"));
  }
  for (const char* bad : {"berth-script: [1]", R"(berth-script: [{"tool":"Bash","args":"ls"}])",
                          R"(berth-script: [{"tools":{}}])"}) {
    const auto answer = scripted_answer(with_tools({user(bad)}));
    ASSERT_TRUE(answer) << bad;
    EXPECT_THAT(answer->text, HasSubstr("Step 0"));
  }
}

TEST(Script, ASubagentsPromptCarriesItsOwn) {
  const auto parent = scripted_answer(with_tools({user(
      R"(berth-script: [{"tool":"Bash","args":{"prompt":"Look.\nberth-script: [{\"text\":\"child\"}]"}}])")}));
  ASSERT_TRUE(parent);
  const std::string prompt = Json::parse(parent->calls[0].arguments)["prompt"];
  const auto child = scripted_answer(with_tools({user(prompt)}));
  ASSERT_TRUE(child);
  EXPECT_EQ(child->text, "child");
}

}  // namespace
}  // namespace berth::engine_http
