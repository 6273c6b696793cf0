// Turn after turn of the four coding agents, as they were seen to write them (docs/api.md): the
// chain of every turn begins with the chain of the turn before.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "inspect/test_bodies.h"

namespace berth::inspect {
namespace {

using Json = nlohmann::ordered_json;

BodyFacts read(std::string_view path, const Json& body) {
  auto facts = facts_of(path, body.dump());
  EXPECT_TRUE(facts) << facts.error().message;
  return facts ? *std::move(facts) : BodyFacts{};
}

// Checks that each body continues the one before, and that the last chain has that many links.
void expect_one_conversation(std::string_view path, const std::vector<Json>& turns,
                             std::size_t links) {
  std::vector<std::uint64_t> before;
  for (const Json& turn : turns) {
    const auto now = read(path, turn).chain;
    ASSERT_GT(now.size(), before.size());
    ASSERT_TRUE(std::equal(before.begin(), before.end(), now.begin())) << turn.dump(1);
    before = now;
  }
  EXPECT_EQ(before.size(), links);
}

Json text(const std::string& words, bool cached = false) {
  Json block = {{"type", "text"}, {"text", words}};
  if (cached) block["cache_control"] = {{"type", "ephemeral"}};
  return block;
}

// Claude Code 2.1.328: messages stand before system; the newest block carries cache_control; the
// system note that is messages[1] is a list first and a string later; a thinking block may be
// stripped from an old answer.
Json claude_code_turn(const Json& messages, const std::string& fingerprint) {
  return {{"model", "claude-x"},
          {"messages", messages},
          {"system",
           {text("x-anthropic-billing-header: cc_version=2.1.328." + fingerprint +
                 "; cc_entrypoint=cli;"),
            text("You are Claude Code, Anthropic's official CLI for Claude.", true),
            text("# Environment\ncwd: /srv/project", true)}},
          {"tools", Json::array({{{"name", "Bash"}}, {{"name", "Read"}}})},
          {"metadata",
           {{"user_id", R"({"device_id":"d","account_uuid":"","session_id":"9b2d5c1e-aaaa"})"}}},
          {"max_tokens", 32000},
          {"thinking", {{"type", "adaptive"}}},
          {"stream", true}};
}

TEST(ClientBodies, ClaudeCode) {
  const std::string note = "# Skills\n- review";
  const Json opener_first = {{"role", "user"},
                             {"content",
                              {text("<system-reminder>\n# claudeMd\nUse tabs.\n</system-reminder>"),
                               text("Find the answer", true)}}};
  const Json opener_later = {{"role", "user"},
                             {"content",
                              {text("<system-reminder>\n# claudeMd\nUse tabs.\n</system-reminder>"),
                               text("Find the answer")}}};
  const Json note_list = {{"role", "system"}, {"content", Json::array({text(note)})}};
  const Json note_string = {{"role", "system"}, {"content", note}};
  const Json call = {
      {"type", "tool_use"}, {"id", "toolu_1"}, {"name", "Bash"}, {"input", {{"command", "ls"}}}};
  const Json thinking = {{"type", "thinking"}, {"thinking", "hm"}, {"signature", "c2ln"}};
  const Json answer = {{"role", "assistant"}, {"content", {thinking, text("I look."), call}}};
  const Json answer_stripped = {{"role", "assistant"}, {"content", {text("I look."), call}}};
  const auto result = [](bool cached) {
    Json block = {{"tool_use_id", "toolu_1"},
                  {"type", "tool_result"},
                  {"content", "a.txt"},
                  {"is_error", false}};
    if (cached) block["cache_control"] = {{"type", "ephemeral"}};
    return Json{{"role", "user"}, {"content", Json::array({block})}};
  };
  const Json left = {{"role", "system"}, {"content", "<total_tokens>170000 left</total_tokens>"}};
  const Json last = {{"role", "assistant"}, {"content", Json::array({text("Done.")})}};
  const Json next = {{"role", "user"}, {"content", Json::array({text("And now more", true)})}};
  const std::vector<Json> turns = {
      claude_code_turn({opener_first, note_list}, "a1b"),
      claude_code_turn({opener_later, note_string, answer, result(true)}, "a1b"),
      claude_code_turn(
          {opener_later, note_string, answer_stripped, result(false), left, last, next}, "c3d")};
  expect_one_conversation("/v1/messages", turns, 5);

  const BodyFacts facts = read("/v1/messages", turns[0]);
  EXPECT_EQ(facts.metadata_session, "9b2d5c1e-aaaa");
  EXPECT_EQ(facts.max_tokens, 32000u);
  EXPECT_EQ(facts.messages, 2u);
  EXPECT_EQ(facts.tools, 2u);
  EXPECT_TRUE(facts.stream);
  EXPECT_FALSE(facts.looks_like_side_request);
  // Counting the tokens of a turn finds the conversation too.
  EXPECT_EQ(read("/v1/messages/count_tokens", turns[2]).chain,
            read("/v1/messages", turns[2]).chain);
}

// Codex 0.169: instructions, then input items; developer and context items first; reasoning comes
// back encrypted.
Json codex_turn(const Json& input) {
  return {{"model", "m"},
          {"instructions", "You are Codex."},
          {"input", input},
          {"tools", Json::array({{{"type", "function"}, {"name", "exec_command"}}})},
          {"tool_choice", "auto"},
          {"parallel_tool_calls", true},
          {"reasoning", {{"effort", "medium"}}},
          {"store", false},
          {"stream", true},
          {"include", {"reasoning.encrypted_content"}},
          {"prompt_cache_key", "01a22cb1-8cfa"},
          {"client_metadata", {{"x-codex-window-id", "01a22cb1-8cfa:0"}}}};
}

TEST(ClientBodies, Codex) {
  const auto message = [](const std::string& role, const std::string& kind,
                          const std::string& words) {
    return Json{{"type", "message"},
                {"role", role},
                {"content", Json::array({{{"type", kind}, {"text", words}}})}};
  };
  const Json start = {
      message("developer", "input_text", "<permissions instructions>"),
      message("user", "input_text", "<environment_context><cwd>/w</cwd></environment_context>"),
      message("user", "input_text", "Find the answer")};
  Json second = start;
  second.push_back({{"type", "reasoning"},
                    {"id", "rs_1"},
                    {"summary", Json::array()},
                    {"encrypted_content", "gAAA"}});
  second.push_back({{"type", "function_call"},
                    {"id", "fc_1"},
                    {"name", "exec_command"},
                    {"arguments", R"({"cmd":"ls"})"},
                    {"call_id", "call_1"}});
  second.push_back({{"type", "function_call_output"}, {"call_id", "call_1"}, {"output", "a.txt"}});
  Json third = start;
  third.push_back({{"type", "function_call"},
                   {"name", "exec_command"},
                   {"arguments", R"({"cmd":"ls"})"},
                   {"call_id", "call_1"}});
  third.push_back({{"type", "function_call_output"}, {"call_id", "call_1"}, {"output", "a.txt"}});
  third.push_back(message("developer", "input_text", "<model_switch>"));
  third.push_back(message("assistant", "output_text", "Done."));
  third.push_back(message("user", "input_text", "And now more"));
  expect_one_conversation("/v1/responses",
                          {codex_turn(start), codex_turn(second), codex_turn(third)}, 6);
  EXPECT_EQ(read("/v1/responses", codex_turn(start)).prompt_cache_key, "01a22cb1-8cfa");
}

// OpenCode 1.18: content as a string or a list; the assistant's reasoning in a member of its own.
Json chat_turn(const Json& messages) {
  return {{"model", "m"},
          {"max_tokens", 8192},
          {"messages", messages},
          {"tools", Json::array({{{"type", "function"}}})},
          {"tool_choice", "auto"},
          {"stream", true},
          {"stream_options", {{"include_usage", true}}}};
}

Json chat_call(const std::string& id, const std::string& command) {
  return {{"id", id},
          {"type", "function"},
          {"function", {{"name", "bash"}, {"arguments", "{\"command\":\"" + command + "\"}"}}}};
}

TEST(ClientBodies, OpenCode) {
  const Json system = {{"role", "system"}, {"content", "You are opencode."}};
  const Json opener = {{"role", "user"}, {"content", "Find the answer"}};
  const Json call = {{"role", "assistant"},
                     {"content", ""},
                     {"reasoning_content", "hm"},
                     {"tool_calls", Json::array({chat_call("call_1", "ls")})}};
  const Json stripped = {{"role", "assistant"},
                         {"content", nullptr},
                         {"tool_calls", Json::array({chat_call("call_1", "ls")})}};
  const Json result = {{"role", "tool"}, {"tool_call_id", "call_1"}, {"content", "a.txt"}};
  const Json answer = {{"role", "assistant"}, {"content", "Done."}};
  const Json opener_list = {{"role", "user"}, {"content", Json::array({text("Find the answer")})}};
  const Json next = {{"role", "user"}, {"content", "And now more"}};
  expect_one_conversation("/v1/chat/completions",
                          {chat_turn({system, opener}), chat_turn({system, opener, call, result}),
                           chat_turn({system, opener_list, stripped, result, answer, next})},
                          5);
  // Its title request is another history.
  const Json title = {
      {"model", "m"},
      {"messages",
       {{{"role", "system"},
         {"content", "You are a title generator. You output ONLY a thread title."}},
        {{"role", "user"}, {"content", "Generate a title for this conversation:\n"}},
        opener}},
      {"stream", true}};
  const BodyFacts facts = read("/v1/chat/completions", title);
  EXPECT_TRUE(facts.looks_like_side_request);
  EXPECT_NE(facts.chain.front(),
            read("/v1/chat/completions", chat_turn({system, opener})).chain.front());
}

// Qwen Code 0.24: the first user message begins with reminders (skills, the folder's listing, the
// date), written anew when the session is resumed.
Json qwen_opener(const std::string& listing, bool dated) {
  Json content = {
      text("<system-reminder>\nThe following skills are available.\n</system-reminder>"),
      text("<system-reminder>\nToday's date is Monday.\nFolder:\n" + listing +
           "\n</system-reminder>")};
  if (dated)
    content.push_back(text("<system-reminder>\nThe current date is: Monday.\n</system-reminder>"));
  content.push_back(text("Find the answer\n\n"));
  return {{"role", "user"}, {"content", content}};
}

std::vector<Json> qwen_turns(const std::string& output) {
  const Json system = {{"role", "system"}, {"content", "You are Qwen Code."}};
  const Json call = {{"role", "assistant"},
                     {"content", nullptr},
                     {"tool_calls", Json::array({chat_call("call_1", "date")})}};
  const Json result = {
      {"role", "tool"}, {"tool_call_id", "call_1"}, {"content", Json::array({text(output)})}};
  const Json answer = {{"role", "assistant"}, {"content", "first answer"}};
  const Json next = {{"role", "user"},
                     {"content",
                      {text("<system-reminder>\nThe current date is: Monday.\n</system-reminder>"),
                       text("And now more\n\n")}}};
  return {chat_turn({system, qwen_opener("", true)}),
          chat_turn({system, qwen_opener("", true), call, result}),
          chat_turn({system, qwen_opener("note.txt", false), call, result, answer, next})};
}

TEST(ClientBodies, QwenCode) {
  expect_one_conversation("/v1/chat/completions", qwen_turns("12:00"), 5);
}

TEST(ClientBodies, QwenCodeTwinsPartWhereTheirHistoriesDo) {
  const auto one = qwen_turns("12:00");
  const auto other = qwen_turns("12:01");
  const auto chain = [](const Json& body) { return read("/v1/chat/completions", body).chain; };
  EXPECT_EQ(chain(one[0]), chain(other[0]));
  const auto a = chain(one[1]);
  const auto b = chain(other[1]);
  ASSERT_EQ(a.size(), 3u);
  EXPECT_EQ(a[0], b[0]);
  EXPECT_EQ(a[1], b[1]);  // the same call
  EXPECT_NE(a[2], b[2]);  // another result
  EXPECT_NE(chain(one[2]).back(), chain(other[2]).back());
}

}  // namespace
}  // namespace berth::inspect
