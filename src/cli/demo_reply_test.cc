#include "cli/demo_reply.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

const std::string kStream = R"(event: message_start
data: {"type":"message_start","message":{"usage":{"input_tokens":100,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

: a comment
event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":4,"output_tokens":2,"cache_creation_input_tokens":0,"cache_read_input_tokens":96}}

event: message_stop
data: {"type":"message_stop"}

)";

TEST(DemoReply, ReadsTextAndUsage) {
  DemoReply reply;
  EXPECT_TRUE(reply.feed(kStream));
  EXPECT_EQ(reply.text(), "Hello");
  EXPECT_TRUE(reply.ended());
  EXPECT_EQ(reply.prompt_tokens(), 100u);
  EXPECT_EQ(reply.cached_tokens(), 96u);
  EXPECT_EQ(reply.error(), "");
}

TEST(DemoReply, ReadsTheSameHoweverItIsCutAndNoticesTheFirstTextOnce) {
  DemoReply reply;
  std::size_t noticed = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < kStream.size(); ++i) {
    if (reply.feed(kStream.substr(i, 1))) {
      ++noticed;
      at = i;
    }
  }
  EXPECT_EQ(noticed, 1u);
  EXPECT_EQ(at, kStream.find("\"Hel\"}}") + 7);  // the end of that line
  EXPECT_EQ(reply.text(), "Hello");
  EXPECT_EQ(reply.cached_tokens(), 96u);
}

TEST(DemoReply, WithoutCacheCountsTheyAreUnknown) {
  DemoReply reply;
  reply.feed(
      "data: {\"type\":\"message_delta\",\"usage\":{\"input_tokens\":50,\"output_tokens\":1}}\n");
  EXPECT_EQ(reply.prompt_tokens(), 50u);
  EXPECT_FALSE(reply.cached_tokens());
}

TEST(DemoReply, KeepsTheWordsOfAnErrorEvent) {
  DemoReply reply;
  reply.feed(
      "data: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"gone\"}}\n");
  EXPECT_EQ(reply.error(), "gone");
  EXPECT_FALSE(reply.ended());
}

TEST(DemoReply, BrokenLinesAreSkipped) {
  DemoReply reply;
  EXPECT_FALSE(reply.feed("data: {\ndata: 7\ndata: [DONE]\nnonsense\n"));
  EXPECT_EQ(reply.text(), "");
}

}  // namespace
}  // namespace berth::cli
