#include "inspect/response_tap.h"

#include <gtest/gtest.h>

namespace berth::inspect {
namespace {

struct Heard {
  TapResult result;
  std::size_t content_at = 0;  // bytes fed when the first content passed; 0: never
};

Heard hear(ApiShape shape, std::string_view stream, std::size_t step) {
  ResponseTap tap(shape, true);
  Heard heard;
  for (std::size_t at = 0; at < stream.size(); at += step) {
    if (tap.feed(stream.substr(at, step))) {
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
    for (std::size_t step = 1; step < 64; ++step) {
      const Heard heard = hear(shape, stream, step);
      EXPECT_TRUE(heard.result.ended);
      EXPECT_EQ(heard.result.cached_tokens, shape == ApiShape::kOpenAiChat ? 96u : 80u);
      EXPECT_NE(heard.content_at, 0u);
    }
  }
}

}  // namespace
}  // namespace berth::inspect
