// The byte shapes of the four APIs.
#include "engine_http/reply_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "engine_http/sse.h"

namespace berth::engine_http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Events = std::vector<std::pair<std::string, Json>>;  // type (empty where there is none), data

const char* const kCallScript =
    R"(berth-script: [{"text":"Hm.","tools":[{"tool":"Bash","args":{"c":"ls"}},{"tool":"Bash"}]}])";

struct Made {
  Made(Api api, const std::string& text, std::uint64_t max_tokens = 1'000) {
    request.api = api;
    request.max_tokens = max_tokens;
    request.conversation.tools = {{"Bash", "", "{}"}};
    request.conversation.turns = {{.role = Role::kUser, .text = text, .calls = {}}};
    request.prompt = render_prompt(request.conversation);
    reply = make_reply(request, 1, max_tokens);
    usage = {.prompt = 100, .cached = 64, .output = reply.tokens.size()};
  }
  std::unique_ptr<ReplyWriter> writer(bool details = true) {
    return make_writer(request, reply,
                       {.id = std::string(id_prefix(request.api)) + "7",
                        .model = "m",
                        .created = 1,
                        .cache_details = details});
  }
  std::string stream(bool details = true) {
    const auto out = writer(details);
    std::string bytes = out->open();
    for (std::size_t i = 0; i < reply.tokens.size(); ++i) {
      bytes += out->token(i, {.prompt = 100, .cached = 64, .output = i + 1});
    }
    return bytes + out->close(usage);
  }
  GenerateRequest request;
  Reply reply;
  Usage usage;
};

// Splits a stream; checks that every event ends with an empty line and that its data is JSON or
// [DONE].
Events parse_events(const std::string& stream) {
  Events events;
  std::size_t at = 0;
  while (at < stream.size()) {
    const std::size_t end = stream.find("\n\n", at);
    EXPECT_NE(end, std::string::npos);
    if (end == std::string::npos) break;
    std::string block = stream.substr(at, end - at);
    std::string type;
    if (block.starts_with("event: ")) {
      type = block.substr(7, block.find('\n') - 7);
      block.erase(0, block.find('\n') + 1);
    }
    EXPECT_TRUE(block.starts_with("data: ")) << block;
    const std::string data = block.substr(6);
    if (data == "[DONE]") {
      events.emplace_back("[DONE]", Json());
    } else {
      events.emplace_back(type, Json::parse(data));
    }
    at = end + 2;
  }
  return events;
}

std::vector<std::string> types_without_repeats(const Events& events) {
  std::vector<std::string> types;
  for (const auto& [type, data] : events) {
    if (types.empty() || types.back() != type) types.push_back(type);
  }
  return types;
}

TEST(MessagesWriter, StreamsTextAndCallsAsContentBlocks) {
  Made made(Api::kMessages, kCallScript);
  const Events events = parse_events(made.stream());
  EXPECT_THAT(types_without_repeats(events),
              ElementsAre("message_start", "content_block_start", "content_block_delta",
                          "content_block_stop", "content_block_start", "content_block_delta",
                          "content_block_stop", "content_block_start", "content_block_delta",
                          "content_block_stop", "message_delta", "message_stop"));
  const Json& start = events.front().second["message"];
  EXPECT_EQ(start["id"], "chatcmpl-7");
  EXPECT_EQ(start["role"], "assistant");
  EXPECT_EQ(start["usage"], Json::parse(R"({"input_tokens":100,"output_tokens":0})"));
  std::vector<Json> starts;
  std::vector<std::string> inputs(3);
  for (const auto& [type, data] : events) {
    EXPECT_EQ(data["type"], type);
    if (type == "content_block_start") starts.push_back(data);
    if (type != "content_block_delta") continue;
    inputs.at(data["index"]) +=
        data["delta"].value("partial_json", data["delta"].value("text", ""));
  }
  ASSERT_EQ(starts.size(), 3u);
  EXPECT_EQ(starts[0]["content_block"], Json::parse(R"({"type":"text","text":""})"));
  EXPECT_EQ(starts[1]["content_block"]["name"], "Bash");
  EXPECT_EQ(starts[1]["content_block"]["input"], Json::object());
  EXPECT_EQ(starts[2]["index"], 2);
  EXPECT_THAT(inputs, ElementsAre("Hm.", R"({"c":"ls"})", "{}"));
  const Json& delta = events[events.size() - 2].second;
  EXPECT_EQ(delta["delta"]["stop_reason"], "tool_use");
  EXPECT_EQ(delta["usage"]["input_tokens"], 36) << "without the cached ones";
  EXPECT_EQ(delta["usage"]["cache_read_input_tokens"], 64);
  EXPECT_EQ(delta["usage"]["cache_creation_input_tokens"], 0);
  EXPECT_EQ(delta["usage"]["output_tokens"], made.reply.tokens.size());
}

TEST(MessagesWriter, WithoutDetailsTheCacheMembersAreAbsent) {
  Made made(Api::kMessages, "hi", 4);
  const Events events = parse_events(made.stream(false));
  const Json& delta = events[events.size() - 2].second;
  EXPECT_EQ(delta["usage"], Json::parse(R"({"input_tokens":100,"output_tokens":4})"));
  EXPECT_EQ(delta["delta"]["stop_reason"], "max_tokens");
}

TEST(MessagesWriter, Whole) {
  Made made(Api::kMessages, kCallScript);
  const Json body = Json::parse(made.writer()->whole(made.usage));
  EXPECT_EQ(body["type"], "message");
  EXPECT_EQ(body["content"].size(), 3u);
  EXPECT_EQ(body["content"][1]["input"], Json::parse(R"({"c":"ls"})"));
  EXPECT_EQ(body["stop_reason"], "tool_use");
  EXPECT_EQ(body["usage"]["cache_read_input_tokens"], 64);
}

TEST(MessagesWriter, AnErrorInTheStream) {
  Made made(Api::kMessages, "hi");
  EXPECT_EQ(made.writer()->stream_error({400, "BadRequestError", "no", "", false}),
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"internal_error\","
            "\"message\":\"no\"}}\n\ndata: [DONE]\n\n");
}

TEST(ChatWriter, RoleFirstThenContentThenFinishThenUsageThenDone) {
  Made made(Api::kChat, R"(berth-script: [{"text":"abcdefgh"}])");
  made.request.include_usage = true;
  const Events events = parse_events(made.stream());
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[0].second["choices"][0]["delta"],
            Json::parse(R"({"role":"assistant","content":""})"));
  EXPECT_EQ(events[0].second["object"], "chat.completion.chunk");
  EXPECT_EQ(events[0].second["id"], "chatcmpl-7");
  EXPECT_EQ(events[1].second["choices"][0]["delta"]["content"], "abcd");
  EXPECT_EQ(events[1].second["choices"][0]["finish_reason"], nullptr);
  EXPECT_EQ(events[3].second["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(events[4].second["choices"], Json::array());
  EXPECT_EQ(events[4].second["usage"],
            Json::parse(R"({"prompt_tokens":100,"total_tokens":103,"completion_tokens":3,
                            "prompt_tokens_details":{"cached_tokens":64}})"));
  EXPECT_EQ(events[5].first, "[DONE]");
}

TEST(ChatWriter, NoUsageUnlessAskedFor) {
  Made made(Api::kChat, "hi", 3);
  const std::string stream = made.stream();
  EXPECT_THAT(stream, Not(HasSubstr("usage")));
  EXPECT_THAT(stream, HasSubstr(R"("finish_reason":"length","stop_reason":null)"));
}

TEST(ChatWriter, ContinuousUsageIsInEveryChunkWithoutCachedTokens) {
  Made made(Api::kChat, "hi", 2);
  made.request.include_usage = true;
  made.request.continuous_usage = true;
  const Events events = parse_events(made.stream());
  EXPECT_EQ(events[0].second["usage"]["completion_tokens"], 0);
  EXPECT_EQ(events[1].second["usage"]["completion_tokens"], 1);
  EXPECT_FALSE(events[1].second["usage"].contains("prompt_tokens_details"));
  EXPECT_TRUE(events[3].second["usage"].contains("prompt_tokens_details"));
}

TEST(ChatWriter, CallsAreDeltasByIndex) {
  Made made(Api::kChat, kCallScript);
  std::vector<std::string> arguments(2);
  std::vector<std::string> names;
  for (const auto& [type, data] : parse_events(made.stream())) {
    if (type == "[DONE]") continue;
    for (const Json& call : data["choices"][0]["delta"].value("tool_calls", Json::array())) {
      if (call.contains("id")) names.push_back(call["function"]["name"]);
      arguments.at(call["index"]) += call["function"]["arguments"];
    }
  }
  EXPECT_THAT(names, ElementsAre("Bash", "Bash"));
  EXPECT_THAT(arguments, ElementsAre(R"({"c":"ls"})", "{}"));
}

TEST(ChatWriter, Whole) {
  Made made(Api::kChat, kCallScript);
  const Json body = Json::parse(made.writer()->whole(made.usage));
  const Json& choice = body["choices"][0];
  EXPECT_EQ(body["object"], "chat.completion");
  EXPECT_EQ(choice["finish_reason"], "tool_calls");
  EXPECT_EQ(choice["message"]["content"], "Hm.");
  EXPECT_EQ(choice["message"]["tool_calls"][0]["function"]["arguments"], R"({"c":"ls"})");
  EXPECT_EQ(body["usage"]["prompt_tokens_details"]["cached_tokens"], 64);
  const Json plain = Json::parse(made.writer(false)->whole(made.usage));
  EXPECT_EQ(plain["usage"]["prompt_tokens_details"], nullptr);
}

TEST(ChatWriter, AnErrorInTheStream) {
  Made made(Api::kChat, "hi");
  EXPECT_EQ(made.writer()->stream_error({400, "BadRequestError", "no", "", false}),
            "data: {\"error\":{\"message\":\"no\",\"type\":\"BadRequestError\",\"param\":null,"
            "\"code\":400}}\n\ndata: [DONE]\n\n");
}

TEST(CompletionsWriter, StreamAndWhole) {
  Made made(Api::kCompletions, R"(berth-script: [{"text":"abcdefgh"}])");
  made.request.include_usage = true;
  const Events events = parse_events(made.stream());
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].second["object"], "text_completion");
  EXPECT_EQ(events[0].second["choices"][0]["text"], "abcd");
  EXPECT_EQ(events[0].second["usage"], nullptr);
  EXPECT_EQ(events[2].second["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(events[3].second["usage"]["prompt_tokens"], 100);
  EXPECT_EQ(events[4].first, "[DONE]");
  const Json body = Json::parse(made.writer()->whole(made.usage));
  EXPECT_EQ(body["id"], "cmpl-7");
  EXPECT_EQ(body["choices"][0]["text"], "abcdefgh");
}

TEST(ResponsesWriter, StreamsItemsWithGrowingSequenceNumbers) {
  Made made(Api::kResponses, kCallScript);
  const Events events = parse_events(made.stream());
  EXPECT_THAT(
      types_without_repeats(events),
      ElementsAre("response.created", "response.in_progress", "response.output_item.added",
                  "response.content_part.added", "response.output_text.delta",
                  "response.output_text.done", "response.content_part.done",
                  "response.output_item.done", "response.output_item.added",
                  "response.function_call_arguments.delta", "response.function_call_arguments.done",
                  "response.output_item.done", "response.output_item.added",
                  "response.function_call_arguments.delta", "response.function_call_arguments.done",
                  "response.output_item.done", "response.completed"));
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].second["sequence_number"], i);
    EXPECT_EQ(events[i].second["type"], events[i].first);
  }
  std::vector<Json> done;
  for (const auto& [type, data] : events) {
    if (type == "response.output_item.done") done.push_back(data);
  }
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[0]["item"]["content"][0]["text"], "Hm.");
  EXPECT_EQ(done[1]["item"]["type"], "function_call");
  EXPECT_EQ(done[1]["item"]["arguments"], R"({"c":"ls"})");
  EXPECT_EQ(done[1]["output_index"], 1);
  EXPECT_NE(done[1]["item"]["call_id"], done[2]["item"]["call_id"]);
  const Json& response = events.back().second["response"];
  EXPECT_EQ(response["status"], "completed");
  EXPECT_EQ(response["output"].size(), 3u);
  EXPECT_EQ(response["usage"]["input_tokens"], 100);
  EXPECT_EQ(response["usage"]["input_tokens_details"]["cached_tokens"], 64);
  EXPECT_EQ(response["usage"]["total_tokens"], 100 + made.reply.tokens.size());
  EXPECT_EQ(events.front().second["response"]["status"], "in_progress");
}

TEST(ResponsesWriter, CutOutputIsIncompleteAndCachedTokensNeedNoFlag) {
  Made made(Api::kResponses, "hi", 3);
  const Json response = parse_events(made.stream(false)).back().second["response"];
  EXPECT_EQ(response["status"], "incomplete");
  EXPECT_EQ(response["incomplete_details"]["reason"], "max_output_tokens");
  EXPECT_EQ(response["usage"]["input_tokens_details"]["cached_tokens"], 64);
}

TEST(ResponsesWriter, WholeHasTheSameOutputAsTheStream) {
  Made made(Api::kResponses, kCallScript);
  const Json streamed = parse_events(made.stream()).back().second["response"];
  EXPECT_EQ(Json::parse(made.writer()->whole(made.usage)), streamed);
}

TEST(ApiError, Shapes) {
  const ApiError error = unknown_model("x").value();
  EXPECT_EQ(openai_error_body(error),
            R"({"error":{"message":"The model `x` does not exist.","type":"NotFoundError",)"
            R"("param":"model","code":404}})");
  EXPECT_EQ(anthropic_error_body(error), R"({"type":"error","error":{"type":"NotFoundError",)"
                                         R"("message":"The model `x` does not exist."}})");
}

}  // namespace
}  // namespace berth::engine_http
