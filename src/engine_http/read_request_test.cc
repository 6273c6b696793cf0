// The four APIs read as one conversation: the same history has the same tokens, whatever carried
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_http/generate_request.h"

namespace berth::engine_http {
namespace {

using ::testing::HasSubstr;

GenerateRequest must(ApiResult<GenerateRequest> result) {
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(*result) : GenerateRequest{};
}
GenerateRequest messages(const char* body) { return must(read_messages(Json::parse(body))); }
GenerateRequest chat(const char* body) { return must(read_chat(Json::parse(body))); }
GenerateRequest responses(const char* body) { return must(read_responses(Json::parse(body))); }

constexpr const char* kMessages = R"({
  "model":"m","max_tokens":100,"stream":true,
  "system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1; cch=1;"},
            {"type":"text","text":"You are a helper.","cache_control":{"type":"ephemeral"}}],
  "tools":[{"name":"Bash","description":"Runs.","input_schema":{"type":"object","properties":{"b":1,"a":2}}}],
  "messages":[
    {"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},
    {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},
      {"type":"text","text":"I look."},
      {"type":"tool_use","id":"call_1","name":"Bash","input":{"z":1,"command":"ls"}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1",
      "content":[{"type":"text","text":"file"}]},{"type":"text","text":"go on"}]}]})";

constexpr const char* kChat = R"({
  "model":"m","max_completion_tokens":100,"stream":true,"stream_options":{"include_usage":true},
  "tools":[{"type":"function","function":{"name":"Bash","description":"Runs.",
    "parameters":{"properties":{"a":2,"b":1},"type":"object"}}}],
  "messages":[
    {"role":"system","content":"You are a helper."},
    {"role":"user","content":"one\ntwo"},
    {"role":"assistant","content":"I look.","tool_calls":[{"id":"other","type":"function",
      "function":{"name":"Bash","arguments":"{ \"command\": \"ls\", \"z\": 1 }"}}]},
    {"role":"tool","tool_call_id":"other","content":"file"},
    {"role":"user","content":[{"type":"text","text":"go on"}]}]})";

constexpr const char* kResponses = R"({
  "model":"m","max_output_tokens":100,"stream":true,"instructions":"You are a helper.",
  "tools":[{"type":"function","name":"Bash","description":"Runs.",
    "parameters":{"type":"object","properties":{"b":1,"a":2}}},{"type":"web_search"}],
  "input":[
    {"role":"user","content":[{"type":"input_text","text":"one"},{"type":"input_text","text":"two"}]},
    {"type":"reasoning","summary":[]},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},
    {"type":"function_call","call_id":"c","name":"Bash","arguments":"{\"command\":\"ls\",\"z\":1}"},
    {"type":"function_call_output","call_id":"c","output":"file"},
    {"type":"message","role":"user","content":"go on"}]})";

TEST(ReadRequest, TheSameHistoryHasTheSameTokensInEveryApi) {
  const GenerateRequest a = messages(kMessages);
  const GenerateRequest b = chat(kChat);
  const GenerateRequest c = responses(kResponses);
  EXPECT_GT(a.prompt.size(), 20u);
  EXPECT_EQ(a.prompt, b.prompt);
  EXPECT_EQ(a.prompt, c.prompt);
  EXPECT_EQ(a.max_tokens, 100u);
  EXPECT_EQ(b.max_tokens, 100u);
  EXPECT_EQ(c.max_tokens, 100u);
  EXPECT_TRUE(a.stream && b.stream && c.stream);
  EXPECT_TRUE(b.include_usage);
}

TEST(ReadRequest, AnAnswerComesBackAsTheTokensItWasGeneratedWith) {
  const GenerateRequest before = chat(R"({"messages":[{"role":"user","content":"hi"}]})");
  const Turn answer{.role = Role::kAssistant,
                    .text = "Well then.",
                    .calls = {{.id = "x", .name = "Bash", .arguments = R"({"command":"ls"})"}}};
  std::vector<Token> expected = before.prompt;
  const std::vector<Token> generated = render_answer(answer);
  expected.insert(expected.end(), generated.begin(), generated.end());
  const GenerateRequest after = messages(R"({"model":"m","max_tokens":1,"messages":[
    {"role":"user","content":"hi"},
    {"role":"assistant","content":[{"type":"text","text":"Well then."},
      {"type":"tool_use","id":"y","name":"Bash","input":{"command":"ls"}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"y","content":"ok"}]}]})");
  ASSERT_GT(after.prompt.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), after.prompt.begin()));
}

TEST(ReadRequest, TheBillingBlockIsNoPrompt) {
  const auto with = [](const char* cch) {
    return messages(
               (std::string(R"({"model":"m","max_tokens":1,"system":[{"type":"text","text":)") +
                R"("x-anthropic-billing-header: cch=)" + cch +
                R"(;"},{"type":"text","text":"S"}],"messages":[{"role":"user","content":"u"}]})")
                   .c_str())
        .prompt;
  };
  EXPECT_EQ(with("1"), with("2"));
}

TEST(ReadRequest, CacheControlAndBlockFormAreNoPrompt) {
  const GenerateRequest text =
      messages(R"({"model":"m","max_tokens":1,"messages":[{"role":"user","content":"u"}]})");
  const GenerateRequest block = messages(
      R"({"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"u",
          "cache_control":{"type":"ephemeral"}}]}]})");
  EXPECT_EQ(text.prompt, block.prompt);
}

TEST(ReadRequest, LeadingSystemTurnsJoinTheSystemPromptAndLaterOnesStay) {
  const GenerateRequest request = messages(R"({"model":"m","max_tokens":1,"system":"A","messages":[
    {"role":"system","content":"B"},{"role":"user","content":"u"},
    {"role":"system","content":[{"type":"text","text":"C"}]}]})");
  const auto& turns = request.conversation.turns;
  ASSERT_EQ(turns.size(), 3u);
  EXPECT_EQ(turns[0].text, "A\n\nB");
  EXPECT_EQ(turns[2].role, Role::kSystem);
  EXPECT_EQ(turns[2].text, "C");
}

TEST(ReadRequest, ASystemTurnDoesNotSplitACallFromItsResult) {
  const GenerateRequest request = messages(R"({"model":"m","max_tokens":1,"messages":[
    {"role":"user","content":"u"},
    {"role":"assistant","content":[{"type":"tool_use","id":"1","name":"T","input":{}}]},
    {"role":"system","content":"note"},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"}]}]})");
  const auto& turns = request.conversation.turns;
  ASSERT_EQ(turns.size(), 4u);
  EXPECT_EQ(turns[2].role, Role::kTool);
  EXPECT_EQ(turns[3].role, Role::kSystem);
}

TEST(ReadRequest, EqualPicturesAreEqualPrompts) {
  const auto picture = [](const char* data) {
    return messages(
               (std::string(R"({"model":"m","max_tokens":1,"messages":[{"role":"user","content":[
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":")") +
                data + R"("}}]}]})")
                   .c_str())
        .prompt;
  };
  EXPECT_EQ(picture("AAAA"), picture("AAAA"));
  EXPECT_NE(picture("AAAA"), picture("BBBB"));
  EXPECT_EQ(picture("AAAA"), chat(R"({"messages":[{"role":"user","content":[{"type":"image_url",
              "image_url":{"url":"data:image/png;base64,AAAA"}}]}]})")
                                 .prompt);
}

TEST(ReadRequest, CompletionsTakeTextOrTokens) {
  const GenerateRequest text = must(read_completions(Json::parse(R"({"prompt":"abcdefgh"})")));
  EXPECT_EQ(text.prompt.size(), 2u);
  EXPECT_EQ(text.max_tokens, 16u);
  const GenerateRequest ids =
      must(read_completions(Json{{"prompt", text.prompt}, {"max_tokens", 5}}));
  EXPECT_EQ(ids.prompt, text.prompt);
  EXPECT_EQ(must(read_completions(Json::parse(R"({"prompt":["abcdefgh"]})"))).prompt, text.prompt);
  EXPECT_FALSE(read_completions(Json::parse(R"({"prompt":["a","b"]})")));
}

TEST(ReadRequest, ErrorsNameTheField) {
  const auto message = [](ApiResult<GenerateRequest> result) {
    EXPECT_FALSE(result);
    return result ? std::string() : result.error().message;
  };
  EXPECT_THAT(message(read_messages(Json::parse(R"({"model":"m","max_tokens":1})"))),
              HasSubstr("'loc': ('body', 'messages'), 'msg': 'Field required'"));
  EXPECT_THAT(message(read_messages(Json::parse(R"({"model":"m","messages":[]})"))),
              HasSubstr("('body', 'max_tokens')"));
  EXPECT_THAT(message(read_messages(Json::parse(
                  R"({"model":"m","max_tokens":1,"messages":[{"role":"robot","content":"x"}]})"))),
              HasSubstr("('body', 'messages', 0, 'role')"));
  EXPECT_THAT(message(read_messages(Json::parse(R"({"model":"m","max_tokens":0,"messages":[]})"))),
              HasSubstr("max_tokens must be at least 1, got 0"));
  EXPECT_THAT(message(read_chat(Json::parse(R"({"messages":[],"max_tokens":"many"})"))),
              HasSubstr("('body', 'max_tokens')"));
  EXPECT_THAT(
      message(read_chat(Json::parse(R"({"messages":[],"stream_options":{"include_usage":true}})"))),
      HasSubstr("Stream options can only be defined when `stream=True`."));
  EXPECT_THAT(message(read_chat(Json::parse(R"({"messages":[],"n":2})"))),
              HasSubstr("n must be 1"));
  EXPECT_THAT(message(read_chat(Json::parse(R"({"messages":[],"cache_salt":""})"))),
              HasSubstr("cache_salt"));
  EXPECT_THAT(message(read_responses(Json::parse(R"({})"))), HasSubstr("('body', 'input')"));
}

TEST(ReadRequest, AStoredResponseIsNotFound) {
  const auto result =
      read_responses(Json::parse(R"({"input":"x","previous_response_id":"resp_1"})"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().status, 404);
  EXPECT_EQ(result.error().message, "Response with id 'resp_1' not found.");
}

TEST(ParseJson, RefusesWhatIsNoJsonAndWhatIsTooDeep) {
  EXPECT_FALSE(parse_json("{"));
  EXPECT_FALSE(parse_json("\"\xff\""));
  EXPECT_TRUE(parse_json(std::string(200, '[') + std::string(200, ']')));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
  EXPECT_TRUE(parse_json('"' + std::string(1'000, '[') + '"')) << "brackets in a string are text";
  EXPECT_EQ((*parse_json(R"({"a":1,"a":2})"))["a"], 2) << "the last one wins, as in Python";
}

}  // namespace
}  // namespace berth::engine_http
