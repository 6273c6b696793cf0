#include "inspect/request_facts.h"

#include <gtest/gtest.h>

#include "inspect/json_parse.h"
#include "inspect/test_bodies.h"

namespace berth::inspect {
namespace {

constexpr std::string_view kChat = "/v1/chat/completions";
constexpr std::string_view kMessages = "/v1/messages";

std::string cut(std::string_view body, const std::optional<Range>& range) {
  return range ? std::string(body.substr(range->begin, range->end - range->begin)) : "(none)";
}

std::string error_of(std::string_view path, std::string_view body) {
  const auto facts = facts_of(path, body);
  if (facts) return "";
  EXPECT_EQ(facts.error().code, ErrorCode::kBadJson);
  return facts.error().message;
}

TEST(RequestFacts, ReadsModelAndStreamWhereverTheyStand) {
  const std::string_view body =
      R"({"messages":[{"role":"user","content":"hi","model":"x","stream":false}],)"
      R"( "stream" : true , "max_tokens":7, "model" : "qwen" , "tools":[{},{}]})";
  const auto facts = facts_of(kChat, body);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->model, "qwen");
  EXPECT_EQ(cut(body, facts->model_value), "\"qwen\"");
  EXPECT_TRUE(facts->stream);
  EXPECT_EQ(facts->max_tokens, 7u);
  EXPECT_EQ(facts->messages, 1u);
  EXPECT_EQ(facts->tools, 2u);
  EXPECT_FALSE(facts->object_empty);
  EXPECT_EQ(facts->object_begin, 1u);
}

TEST(RequestFacts, TheLastOfEqualMembersCounts) {
  const std::string_view body = R"({"model":"a","stream":true,"model":"b","stream":false})";
  const auto facts = facts_of(kChat, body);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->model, "b");
  EXPECT_EQ(facts->model_value->begin, body.rfind("\"b\""));
  EXPECT_FALSE(facts->stream);
  // Also when the first one is of a wrong type.
  EXPECT_EQ(error_of(kChat, R"({"model":1,"model":"b"})"), "");
  EXPECT_EQ(error_of(kChat, R"({"model":"b","model":1})"), "model must be a string");
}

TEST(RequestFacts, EscapedKeysAreKeysLikeAnyOther) {
  const auto facts = facts_of(
      kChat, R"({"mod\u0065l":"q\u0077en","\u0073tream":true,"str\u0065am_options":null})");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->model, "qwen");
  EXPECT_TRUE(facts->stream);
  EXPECT_TRUE(facts->stream_options_null);
}

TEST(RequestFacts, WrongTypesAreNamed) {
  EXPECT_EQ(error_of(kChat, R"({"model":["a"]})"), "model must be a string");
  EXPECT_EQ(error_of(kChat, R"({"model":{"a":1}})"), "model must be a string");
  EXPECT_EQ(error_of(kChat, R"({"model":"\ud800"})"), "model must be a string");
  EXPECT_EQ(error_of(kChat, R"({"stream":"true"})"), "stream must be true or false");
  EXPECT_EQ(error_of(kChat, R"({"stream":[true]})"), "stream must be true or false");
  EXPECT_EQ(error_of(kChat, R"({"stream_options":[]})"), "stream_options must be an object");
  EXPECT_EQ(error_of(kChat, R"({"stream_options":{"include_usage":[]}})"),
            "stream_options.include_usage must be true or false");
  EXPECT_EQ(error_of(kChat, "{\"model\":\"" + std::string(1025, 'm') + "\"}"),
            "model must be at most 1024 bytes long");
}

TEST(RequestFacts, TypesOfFieldsNobodyNeedsAreTheEnginesBusiness) {
  for (const std::string_view body :
       {R"({"messages":7})", R"({"messages":[1,null,"x",[]]})", R"({"metadata":[1]})",
        R"({"metadata":{"user_id":{}}})", R"({"max_tokens":"many"})", R"({"tools":{}})",
        R"({"system":12.5})", R"({"prompt_cache_key":[]})", R"({"temperature":NaN,"model":"m"})",
        R"({"messages":[{"content":[{"type":[],"text":{}}],"role":7,"tool_calls":"x"}]})"}) {
    EXPECT_EQ(error_of(kChat, body), "") << body;
    EXPECT_EQ(error_of(kMessages, body), "") << body;
  }
  EXPECT_EQ(error_of(kMessages, R"({"stream_options":7})"), "");
  EXPECT_EQ(error_of("/v1/embeddings", R"({"stream":7,"model":"m"})"), "");
}

TEST(RequestFacts, NullIsAbsent) {
  const std::string_view body =
      R"({"model":null,"stream":null,"cache_salt":null,"previous_response_id":null,"max_tokens":null})";
  const auto facts = facts_of(kChat, body);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->model, "");
  EXPECT_EQ(cut(body, facts->model_value), "null");
  EXPECT_FALSE(facts->stream);
  EXPECT_FALSE(facts->has_cache_salt);
  EXPECT_EQ(cut(body, facts->cache_salt_value), "null");
  EXPECT_FALSE(facts->has_previous_response);
  EXPECT_FALSE(facts->max_tokens);
}

TEST(RequestFacts, BrokenBodiesAreErrors) {
  EXPECT_EQ(error_of(kChat, ""), "the body is empty");
  EXPECT_EQ(error_of(kChat, " \n"), "the body is empty");
  EXPECT_EQ(error_of(kChat, "[]"), "the body must be a JSON object");
  EXPECT_EQ(error_of(kChat, "\"model\""), "the body must be a JSON object");
  EXPECT_EQ(error_of(kChat, "\xFF{}"), "the body is not valid UTF-8");
  EXPECT_EQ(error_of(kChat, "{\"a\":\"\xC3\x28\"}"), "the body is not valid UTF-8");
  for (const std::string_view body :
       {R"({)", R"({"model":"a")", R"({"model":"a)", R"({"messages":[{"role":"user")",
        R"({"messages":[})", R"({"model":"a"}})", R"({"model":"a"} {})", R"({"model":"a"} x)",
        R"({"model":"a"}{"model":"b"})", R"({"model"})", R"({"model":})", R"({"a":1,})", R"({a:1})",
        R"({"a" 1})", "{\"a\":\"\n\"}", R"({"messages":[{"role":"user" "x"}]})"}) {
    EXPECT_NE(error_of(kChat, body), "") << body;
  }
}

TEST(RequestFacts, EveryTruncationIsAnError) {
  const std::string body =
      R"({"model":"q","messages":[{"role":"user","content":[{"type":"text","text":"a\"b"}]}],)"
      R"("stream":true,"stream_options":{"include_usage":false},"metadata":{"user_id":"u"}})";
  ASSERT_EQ(error_of(kChat, body), "");
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_NE(error_of(kChat, body.substr(0, size)), "") << size;
  }
}

TEST(RequestFacts, AByteOrderMarkIsFine) {
  const std::string body = "\xEF\xBB\xBF {\"model\":\"q\"}";
  const auto facts = facts_of(kChat, body);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->object_begin, 5u);
  EXPECT_EQ(cut(body, facts->model_value), "\"q\"");
}

TEST(RequestFacts, DeepNestingIsFine) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  const std::string nested = "{\"x\":" + deep +
                             ",\"messages\":[{\"role\":\"user\",\"content\":" + deep +
                             "}],\"model\":\"q\"}";
  const auto facts = facts_of(kChat, nested);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->model, "q");
  std::string blocks = "\"x\"";
  for (int i = 0; i < 3000; ++i) blocks = R"([{"type":"tool_result","content":)" + blocks + "}]";
  EXPECT_EQ(error_of(kMessages, R"({"messages":[{"role":"user","content":)" + blocks + "}]}"), "");
}

TEST(RequestFacts, HugeBodiesAreReadAndTheirMemoryGivenBack) {
  const auto body = [](std::size_t size) {
    return R"({"messages":[{"role":"user","content":")" + std::string(size, 'x') +
           R"("}],"model":"q"})";
  };
  auto facts = facts_of(kChat, body(1u << 20));
  ASSERT_TRUE(facts);
  EXPECT_GE(JsonParse::kept_bytes(), 1u << 20);
  facts = facts_of(kChat, body(kKeptParserBytes + 1));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->model, "q");
  EXPECT_EQ(facts->chain.size(), 1u);
  EXPECT_LE(JsonParse::kept_bytes(), kKeptParserBytes);
}

TEST(RequestFacts, StreamOptionsInEveryForm) {
  std::string_view body = R"({"stream_options": {"include_usage" : true, "x":[1]} ,"stream":true})";
  auto facts = facts_of(kChat, body);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->include_usage, true);
  EXPECT_EQ(cut(body, facts->stream_options), R"({"include_usage" : true, "x":[1]})");
  EXPECT_EQ(cut(body, facts->include_usage_value), "true");

  body = R"({"stream_options":{ } })";
  facts = facts_of("/v1/completions", body);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->include_usage, std::nullopt);
  EXPECT_EQ(cut(body, facts->stream_options), "{ }");

  body = R"({"stream_options":{"continuous_usage_stats":true,"include_usage":null}})";
  facts = facts_of(kChat, body);
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->continuous_usage);
  EXPECT_EQ(facts->include_usage, std::nullopt);
  EXPECT_EQ(cut(body, facts->include_usage_value), "null");

  body = R"({"stream_options":{"include_usage":true},"stream_options":null})";
  facts = facts_of(kChat, body);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->include_usage, std::nullopt);
  EXPECT_FALSE(facts->stream_options);
  EXPECT_EQ(cut(body, facts->stream_options_null), "null");
}

TEST(RequestFacts, IdentityMembers) {
  auto facts =
      facts_of("/v1/responses", R"({"prompt_cache_key":"thread-1","previous_response_id":"resp_1",)"
                                R"("cache_salt":"s","max_output_tokens":3,"input":"hi"})");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->prompt_cache_key, "thread-1");
  EXPECT_TRUE(facts->has_previous_response);
  EXPECT_TRUE(facts->has_cache_salt);
  EXPECT_EQ(facts->max_tokens, 3u);
  EXPECT_EQ(facts->messages, 1u);
  EXPECT_EQ(facts->chain.size(), 1u);

  facts = facts_of("/v1/responses", R"({"conversation":{"id":"c"},"prompt_cache_key":")" +
                                        std::string(1025, 'k') + R"("})");
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->has_previous_response);
  EXPECT_EQ(facts->prompt_cache_key, "");
}

TEST(RequestFacts, SessionInMetadataInBothForms) {
  auto facts = facts_of(
      kMessages,
      R"({"metadata":{"user_id":"{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"b7e1\"}"}})");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->metadata_session, "b7e1");
  facts = facts_of(kMessages, R"({"metadata":{"user_id":"user_00ff_account__session_1f2e-3d"}})");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->metadata_session, "1f2e-3d");
  for (const std::string_view other :
       {R"("u-123")", R"("user_1_account_2")", R"("{\"session\":1}")", R"("{\"session_id\":7}")",
        R"("{\"session_id\":\"x\"")", R"("x_session_1")", "7", "null"}) {
    facts = facts_of(kMessages, "{\"metadata\":{\"user_id\":" + std::string(other) + "}}");
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->metadata_session, "") << other;
  }
}

}  // namespace
}  // namespace berth::inspect
