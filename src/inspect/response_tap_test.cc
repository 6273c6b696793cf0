#include "inspect/response_tap.h"

#include <gtest/gtest.h>

namespace berth::inspect {
namespace {

struct Heard {
  TapResult result;
  std::size_t content_at = 0;  // bytes fed when the first content passed; 0: never
};

// Every read overwrites the one before, as in the gateway.
Heard hear(ApiShape shape, std::string_view stream, std::size_t step) {
  ResponseTap tap(shape, true);
  Heard heard;
  std::string read(step, '\0');
  for (std::size_t at = 0; at < stream.size(); at += step) {
    const std::size_t length = stream.copy(read.data(), step, at);
    if (tap.feed(std::string_view(read).substr(0, length))) {
      EXPECT_EQ(heard.content_at, 0u);
      heard.content_at = std::min(at + step, stream.size());
    }
  }
  tap.finish();
  heard.result = tap.result();
  return heard;
}

constexpr std::string_view kChatStream =
    R"(data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}

data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"He said \"usage\": {}"}}]}

data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"c","choices":[],"usage":{"prompt_tokens":120,"total_tokens":130,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":96}}}

data: [DONE]

)";

constexpr std::string_view kMessagesStream =
    R"(event: message_start
data: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":100,"output_tokens":1}}}

event: ping
data: {"type":"ping"}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":20,"cache_read_input_tokens":80,"cache_creation_input_tokens":0,"output_tokens":12}}

event: message_stop
data: {"type":"message_stop"}

)";

TEST(ResponseTap, ChatUsageFirstContentAndEnd) {
  const Heard heard = hear(ApiShape::kOpenAiChat, kChatStream, kChatStream.size());
  EXPECT_EQ(heard.result.prompt_tokens, 120u);
  EXPECT_EQ(heard.result.cached_tokens, 96u);
  EXPECT_EQ(heard.result.output_tokens, 10u);
  EXPECT_TRUE(heard.result.ended);
  EXPECT_FALSE(heard.result.stream_error);
}

TEST(ResponseTap, FirstContentIsWhereItsEventEnds) {
  const std::size_t chat =
      kChatStream.find("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{}");
  EXPECT_EQ(hear(ApiShape::kOpenAiChat, kChatStream, 1).content_at, chat);
  const std::size_t messages = kMessagesStream.find("event: content_block_stop");
  EXPECT_EQ(hear(ApiShape::kAnthropic, kMessagesStream, 1).content_at, messages);
}

TEST(ResponseTap, MessagesUsageOfBothEngineGenerations) {
  const Heard heard = hear(ApiShape::kAnthropic, kMessagesStream, 4096);
  EXPECT_EQ(heard.result.prompt_tokens, 100u);
  EXPECT_EQ(heard.result.cached_tokens, 80u);
  EXPECT_EQ(heard.result.output_tokens, 12u);
  EXPECT_TRUE(heard.result.ended);

  std::string older(kMessagesStream);
  older.replace(older.find("\"input_tokens\":20,"), 76, "\"input_tokens\":100");
  ASSERT_EQ(older.find("cache_"), std::string::npos) << older;
  const Heard without = hear(ApiShape::kAnthropic, older, 4096);
  EXPECT_EQ(without.result.prompt_tokens, 100u);
  EXPECT_EQ(without.result.cached_tokens, std::nullopt);
}

TEST(ResponseTap, TheSameHoweverTheBytesAreCut) {
  for (const auto& [shape, stream] : {std::pair(ApiShape::kOpenAiChat, kChatStream),
                                      std::pair(ApiShape::kAnthropic, kMessagesStream)}) {
    for (std::size_t step = 1; step < 256; ++step) {
      const Heard heard = hear(shape, stream, step);
      EXPECT_TRUE(heard.result.ended);
      EXPECT_EQ(heard.result.cached_tokens, shape == ApiShape::kOpenAiChat ? 96u : 80u);
      EXPECT_NE(heard.content_at, 0u);
    }
  }
}

TEST(ResponseTap, EachLineInAReadOfItsOwn) {
  ResponseTap tap(ApiShape::kAnthropic, true);
  std::string read(kMessagesStream.size(), '\0');
  for (std::string_view rest = kMessagesStream; !rest.empty();) {
    const std::size_t length = rest.copy(read.data(), rest.find('\n') + 1);
    tap.feed(std::string_view(read).substr(0, length));
    read.assign(read.size(), '\0');
    rest.remove_prefix(length);
  }
  tap.finish();
  EXPECT_TRUE(tap.result().ended);
  EXPECT_EQ(tap.result().cached_tokens, 80u);
  EXPECT_EQ(tap.result().output_tokens, 12u);
}

std::string event(std::string_view data) { return "data: " + std::string(data) + "\n\n"; }
std::string named(std::string_view type, std::string_view members) {
  return "event: " + std::string(type) + "\ndata: {\"type\":\"" + std::string(type) + "\"" +
         std::string(members) + "}\n\n";
}

bool is_content(ApiShape shape, const std::string& bytes) {
  ResponseTap tap(shape, true);
  return tap.feed(bytes);
}

TEST(ResponseTap, WhatCountsAsContentInChat) {
  const auto delta = [](std::string_view members) {
    return is_content(
        ApiShape::kOpenAiChat,
        event("{\"choices\":[{\"index\":0,\"delta\":" + std::string(members) + "}]}"));
  };
  EXPECT_TRUE(delta(R"({"content":"a"})"));
  EXPECT_TRUE(delta(R"({"reasoning_content":"a"})"));
  EXPECT_TRUE(delta(R"({"reasoning":"a"})"));
  EXPECT_TRUE(delta(R"({"tool_calls":[{"index":0,"function":{"name":"ls"}}]})"));
  EXPECT_TRUE(delta(R"({"role":"assistant","content":"a"})"));
  EXPECT_FALSE(delta(R"({"role":"assistant","content":""})"));
  EXPECT_FALSE(delta(R"({"role":"assistant","content":null,"tool_calls":[]})"));
  EXPECT_FALSE(delta("{}"));
  EXPECT_FALSE(is_content(ApiShape::kOpenAiChat, event(R"({"choices":[]})")));
  EXPECT_FALSE(is_content(ApiShape::kOpenAiChat, ": keep-alive\n\n"));
  EXPECT_TRUE(is_content(ApiShape::kOpenAiCompletions, event(R"({"choices":[{"text":"a"}]})")));
  EXPECT_FALSE(is_content(ApiShape::kOpenAiCompletions, event(R"({"choices":[{"text":""}]})")));
}

TEST(ResponseTap, WhatCountsAsContentInMessages) {
  const auto counts = [](std::string_view type, std::string_view members) {
    return is_content(ApiShape::kAnthropic, named(type, members));
  };
  EXPECT_TRUE(
      counts("content_block_delta", R"(,"delta":{"type":"thinking_delta","thinking":"a"})"));
  EXPECT_TRUE(
      counts("content_block_delta", R"(,"delta":{"type":"input_json_delta","partial_json":"{"})"));
  EXPECT_TRUE(counts("content_block_start",
                     R"(,"content_block":{"type":"tool_use","name":"ls","input":{}})"));
  EXPECT_FALSE(counts("content_block_start", R"(,"content_block":{"type":"text","text":""})"));
  EXPECT_FALSE(
      counts("content_block_start", R"(,"content_block":{"type":"thinking","thinking":""})"));
  EXPECT_FALSE(counts("content_block_delta", R"(,"delta":{"type":"text_delta","text":""})"));
  EXPECT_FALSE(
      counts("content_block_delta", R"(,"delta":{"type":"signature_delta","signature":"a"})"));
  EXPECT_FALSE(counts("message_start", R"(,"message":{"content":[]})"));
  EXPECT_FALSE(counts("ping", ""));
}

TEST(ResponseTap, WhatCountsAsContentInResponses) {
  const auto counts = [](std::string_view type, std::string_view members) {
    return is_content(ApiShape::kOpenAiResponses, named(type, members));
  };
  EXPECT_TRUE(counts("response.output_text.delta", R"(,"delta":"a")"));
  EXPECT_TRUE(counts("response.reasoning_text.delta", R"(,"delta":"a")"));
  EXPECT_TRUE(counts("response.function_call_arguments.delta", R"(,"delta":"{")"));
  EXPECT_TRUE(counts("response.output_item.done", R"(,"item":{"type":"function_call"})"));
  EXPECT_FALSE(counts("response.output_text.delta", R"(,"delta":"")"));
  EXPECT_FALSE(counts("response.created", R"(,"response":{"output":[]})"));
  EXPECT_FALSE(counts("response.in_progress", R"(,"response":{"output":[]})"));
  EXPECT_FALSE(counts("response.output_item.added", R"(,"item":{"type":"message"})"));
  EXPECT_FALSE(counts("keepalive", ""));
}

TEST(ResponseTap, ResponsesUsageAndEnd) {
  const std::string completed = named(
      "response.completed",
      R"(,"response":{"usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":0},"output_tokens":3}})");
  const Heard heard = hear(ApiShape::kOpenAiResponses, completed, 7);
  EXPECT_EQ(heard.result.prompt_tokens, 50u);
  EXPECT_EQ(heard.result.cached_tokens, 0u);
  EXPECT_EQ(heard.result.output_tokens, 3u);
  EXPECT_TRUE(heard.result.ended);
  EXPECT_TRUE(hear(ApiShape::kOpenAiResponses, named("response.incomplete", ""), 7).result.ended);
  const Heard failed = hear(ApiShape::kOpenAiResponses, named("response.failed", ""), 7);
  EXPECT_TRUE(failed.result.ended && failed.result.stream_error);
}

TEST(ResponseTap, WhatIsMissingIsUnknown) {
  const auto chat = [](const std::string& usage) {
    return hear(ApiShape::kOpenAiChat, event("{\"choices\":[],\"usage\":" + usage + "}"), 99)
        .result;
  };
  EXPECT_EQ(chat("null").prompt_tokens, std::nullopt);
  EXPECT_EQ(chat("{}").prompt_tokens, std::nullopt);
  const TapResult some =
      chat(R"({"prompt_tokens":9,"completion_tokens":null,"prompt_tokens_details":null})");
  EXPECT_EQ(some.prompt_tokens, 9u);
  EXPECT_EQ(some.cached_tokens, std::nullopt);
  EXPECT_EQ(some.output_tokens, std::nullopt);
  EXPECT_EQ(
      chat(R"({"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":0}})").cached_tokens, 0u);
  EXPECT_EQ(chat(R"({"prompt_tokens":-1,"completion_tokens":1.5})").prompt_tokens, std::nullopt);
  EXPECT_EQ(chat(R"({"prompt_tokens":0})").prompt_tokens, std::nullopt);
}

TEST(ResponseTap, ContinuousUsageKeepsTheLatestCount) {
  ResponseTap tap(ApiShape::kOpenAiChat, true);
  for (int i = 1; i <= 3; ++i) {
    tap.feed(event(
        R"({"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":8,"completion_tokens":)" +
        std::to_string(i) + "}}"));
  }
  EXPECT_EQ(tap.result().prompt_tokens, 8u);
  EXPECT_EQ(tap.result().output_tokens, 3u);
  EXPECT_FALSE(tap.result().ended);
}

TEST(ResponseTap, ACutMessagesStreamHasNoOutputCount) {
  const std::string_view cut =
      kMessagesStream.substr(0, kMessagesStream.find("event: message_delta"));
  const Heard heard = hear(ApiShape::kAnthropic, cut, 50);
  EXPECT_EQ(heard.result.prompt_tokens, 100u);
  EXPECT_EQ(heard.result.output_tokens, std::nullopt);
  EXPECT_FALSE(heard.result.ended);
}

TEST(ResponseTap, ErrorsInsideAStream) {
  const auto fails = [](ApiShape shape, const std::string& bytes) {
    return hear(shape, bytes, 11).result.stream_error;
  };
  const std::string content = event(R"({"choices":[{"delta":{"content":"a"}}]})");
  EXPECT_TRUE(
      fails(ApiShape::kOpenAiChat, content + event(R"({"error":{"message":"x","code":400}})")));
  EXPECT_TRUE(fails(ApiShape::kOpenAiChat, event(R"({"object":"error","message":"x"})")));
  EXPECT_TRUE(fails(ApiShape::kAnthropic, named("error", R"(,"error":{"type":"internal_error"})")));
  EXPECT_TRUE(fails(ApiShape::kAnthropic, event(R"({"type":"error","error":{}})")));
  EXPECT_TRUE(fails(ApiShape::kOpenAiResponses, named("error", R"(,"message":"x")")));
  EXPECT_FALSE(fails(ApiShape::kOpenAiChat, content + event(R"({"error":null,"choices":[]})")));
  EXPECT_FALSE(fails(ApiShape::kOpenAiChat,
                     content + event(R"({"choices":[{"delta":{"content":"\"error\":{}"}}]})")));
  EXPECT_FALSE(fails(ApiShape::kOpenAiResponses,
                     named("response.created", R"(,"response":{"error":null})")));
}

TEST(ResponseTap, TheStatusAnErrorInsideAStreamStandsFor) {
  const auto told = [](ApiShape shape, const std::string& bytes) {
    return hear(shape, bytes, 11).result.error_status;
  };
  EXPECT_EQ(told(ApiShape::kOpenAiChat, event(R"({"error":{"type":"x","code":400}})")), 400);
  EXPECT_EQ(told(ApiShape::kOpenAiChat, event(R"({"error":{"code":"502"}})")), 502);
  EXPECT_EQ(told(ApiShape::kOpenAiChat, event(R"({"error":{"type":"InternalServerError"}})")), 500);
  EXPECT_EQ(told(ApiShape::kOpenAiChat, event(R"({"object":"error","code":404})")), 404);
  EXPECT_EQ(told(ApiShape::kOpenAiChat, event(R"({"error":{"message":"x","code":7}})")),
            std::nullopt);
  EXPECT_EQ(told(ApiShape::kOpenAiChat, event(R"({"error":"x"})")), std::nullopt);
  EXPECT_EQ(told(ApiShape::kOpenAiChat, event(R"({"code":500,"choices":[]})")), std::nullopt);
  EXPECT_EQ(
      told(ApiShape::kAnthropic, named("error", R"(,"error":{"type":"invalid_request_error"})")),
      400);
  EXPECT_EQ(told(ApiShape::kAnthropic, named("error", R"(,"error":{"type":"overloaded_error"})")),
            529);
  EXPECT_EQ(told(ApiShape::kOpenAiResponses, named("error", R"(,"code":"server_error")")), 500);
  EXPECT_EQ(told(ApiShape::kOpenAiResponses,
                 named("response.failed", R"(,"response":{"error":{"code":"invalid_prompt"}})")),
            400);
}

TEST(ResponseTap, ThePromptIsReadWhenAnEventNeedsIt) {
  const auto read = [](ApiShape shape, const std::string& bytes) {
    ResponseTap tap(shape, true);
    tap.feed(bytes);
    return tap.prefilled();
  };
  EXPECT_FALSE(read(ApiShape::kAnthropic, ": comment\n\n" + named("ping", "")));
  EXPECT_TRUE(read(ApiShape::kAnthropic, named("message_start", "")));
  EXPECT_FALSE(read(ApiShape::kAnthropic, named("error", R"(,"error":{})")));
  EXPECT_FALSE(read(ApiShape::kOpenAiResponses,
                    named("response.created", "") + named("response.in_progress", "")));
  EXPECT_TRUE(read(ApiShape::kOpenAiResponses, named("response.output_item.added", "")));
  EXPECT_FALSE(read(ApiShape::kOpenAiChat, "data: [DONE]\n\n"));
  EXPECT_TRUE(
      read(ApiShape::kOpenAiChat, event(R"({"choices":[{"delta":{"role":"assistant"}}]})")));
  ResponseTap json(ApiShape::kOpenAiChat, false);
  EXPECT_FALSE(json.prefilled());
  json.feed("{");
  EXPECT_TRUE(json.prefilled());
}

TEST(ResponseTap, LineEndsCommentsAndSplitDataDoNotMatter) {
  std::string stream(kChatStream);
  for (const std::string end : {"\r\n", "\r"}) {
    std::string other;
    for (const char c : stream) other += c == '\n' ? end : std::string(1, c);
    for (const std::size_t step : {1u, 2u, 3u, 1000u}) {
      EXPECT_EQ(hear(ApiShape::kOpenAiChat, other, step).result.cached_tokens, 96u) << step;
    }
  }
  const std::string lines =
      "\xEF\xBB\xBF: comment\ndata:{\"choices\":[],\n:inside\ndata: \"usage\":\ndata: "
      "{\"prompt_tokens\":7}}\nid: 3\n\n";
  EXPECT_EQ(hear(ApiShape::kOpenAiChat, lines, 5).result.prompt_tokens, 7u);
  const std::string open = R"(data: {"choices":[],"usage":{"prompt_tokens":7}})";
  EXPECT_EQ(hear(ApiShape::kOpenAiChat, open, 5).result.prompt_tokens, 7u);
  EXPECT_EQ(hear(ApiShape::kOpenAiChat, open + "\n", 5).result.prompt_tokens, 7u);
}

TEST(ResponseTap, NonsenseIsNotUnderstoodAndHarmless) {
  for (const std::string bytes :
       {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]\n\n", "data: [1]\n\n", "data\n\n",
        "data: \"x\"\n\n", "\n\n\n", "data: {}x\n\n", "data: {\"usage\":{\"prompt_tokens\":1}\n\n",
        "event: \xff\ndata: {\"\xff\"}\n\n"}) {
    const Heard heard = hear(ApiShape::kOpenAiChat, bytes, 3);
    EXPECT_EQ(heard.content_at, 0u) << bytes;
    EXPECT_EQ(heard.result.prompt_tokens, std::nullopt) << bytes;
  }
}

TEST(ResponseTap, AnOversizedEventIsSkippedAndTheNextOneHeard) {
  const std::string big =
      event(R"({"choices":[{"delta":{"content":")" + std::string(2u << 20, 'x') + "\"}}]}");
  const std::string last = event(R"({"choices":[],"usage":{"prompt_tokens":7}})");
  for (const std::size_t step : {std::size_t{1000}, std::size_t{4u << 20}}) {
    const Heard heard = hear(ApiShape::kOpenAiChat, big + last, step);
    EXPECT_EQ(heard.content_at, 0u);
    EXPECT_EQ(heard.result.prompt_tokens, 7u);
  }
}

TEST(ResponseTap, BeginsWithTheFirstWholeEvent) {
  ResponseTap tap(ApiShape::kOpenAiResponses, true);
  tap.feed(": comment\n\n");
  tap.feed("event: response.created\ndata: {}\n");
  EXPECT_FALSE(tap.began());
  tap.feed("\n");
  EXPECT_TRUE(tap.began());
}

TEST(ResponseTap, EventBoundaries) {
  ResponseTap tap(ApiShape::kAnthropic, true);
  EXPECT_TRUE(tap.at_event_boundary());
  for (const auto& [bytes, boundary] :
       std::vector<std::pair<const char*, bool>>{{"ev", false},
                                                 {"ent: ping\n", false},
                                                 {"data: {}", false},
                                                 {"\n", false},
                                                 {"\n", true},
                                                 {": comment", false},
                                                 {"\n", true},
                                                 {"data: {}\r\n\r", false},
                                                 {"\n", true},
                                                 {"data: {}\n\ndata", false},
                                                 {": {}\n\n", true}}) {
    tap.feed(bytes);
    EXPECT_EQ(tap.at_event_boundary(), boundary) << bytes;
  }
  ResponseTap json(ApiShape::kAnthropic, false);
  EXPECT_FALSE(json.at_event_boundary());
}

TapResult hear_json(ApiShape shape, std::string_view body, std::size_t step) {
  ResponseTap tap(shape, false);
  for (std::size_t at = 0; at < body.size(); at += step) {
    EXPECT_EQ(tap.feed(body.substr(at, step)), at == 0);
  }
  tap.finish();
  return tap.result();
}

TEST(ResponseTap, WholeJsonBodies) {
  const std::string chat =
      R"({"object":"chat.completion","choices":[{"message":{"content":"a"}}],)"
      R"("usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}})";
  for (const std::size_t step : {1u, 17u, 1000u}) {
    const TapResult result = hear_json(ApiShape::kOpenAiChat, chat, step);
    EXPECT_EQ(result.prompt_tokens, 10u);
    EXPECT_EQ(result.cached_tokens, 4u);
    EXPECT_EQ(result.output_tokens, 2u);
    EXPECT_TRUE(result.ended);
    EXPECT_FALSE(result.stream_error);
  }
  const TapResult messages = hear_json(
      ApiShape::kAnthropic,
      R"({"type":"message","content":[],"usage":{"input_tokens":3,"cache_read_input_tokens":7,"output_tokens":2}})",
      9);
  EXPECT_EQ(messages.prompt_tokens, 10u);
  EXPECT_EQ(messages.cached_tokens, 7u);
  EXPECT_EQ(messages.output_tokens, 2u);
  EXPECT_EQ(hear_json(ApiShape::kOpenAiResponses, R"({"error":null,"usage":{"input_tokens":5}})", 9)
                .prompt_tokens,
            5u);
  EXPECT_EQ(hear_json(ApiShape::kOpenAiOther,
                      R"({"data":[],"usage":{"prompt_tokens":5,"total_tokens":5}})", 9)
                .prompt_tokens,
            5u);
  EXPECT_FALSE(hear_json(ApiShape::kOpenAiChat, chat.substr(0, chat.size() - 1), 9).ended);
  EXPECT_FALSE(hear_json(ApiShape::kOpenAiChat, "", 9).ended);
}

TEST(ResponseTap, ABodyOverTheLimitStaysUnmeasured) {
  const std::string big =
      R"({"x":")" + std::string(1u << 20, 'x') + R"(","usage":{"prompt_tokens":1}})";
  EXPECT_EQ(hear_json(ApiShape::kOpenAiChat, big, 4096).prompt_tokens, std::nullopt);
}

}  // namespace
}  // namespace berth::inspect
