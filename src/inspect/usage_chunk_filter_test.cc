#include <gtest/gtest.h>

#include "inspect/response_tap.h"

namespace berth::inspect {
namespace {

constexpr std::string_view kUsage =
    R"(data: {"id":"c","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}})";

struct Filtered {
  std::string bytes;
  bool removed;
};

Filtered filter(std::string_view stream, std::size_t step) {
  UsageChunkFilter filter;
  std::string out;
  for (std::size_t at = 0; at < stream.size(); at += step)
    filter.feed(stream.substr(at, step), out);
  filter.finish(out);
  return {out, filter.removed()};
}

void expect(std::string_view stream, std::string_view wanted, bool removed) {
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    const Filtered got = filter(stream, step);
    ASSERT_EQ(got.bytes, wanted) << "step " << step;
    ASSERT_EQ(got.removed, removed) << "step " << step;
  }
}

TEST(UsageChunkFilter, TakesOutTheUsageChunkAndNothingElse) {
  for (const std::string end : {"\n\n", "\r\n\r\n", "\r\r"}) {
    const std::string before = R"(data: {"choices":[{"index":0,"delta":{"content":"a"}}]})" + end;
    const std::string after = "data: [DONE]" + end;
    expect(before + std::string(kUsage) + end + after, before + after, true);
  }
}

TEST(UsageChunkFilter, UsageBesideChoicesStays) {
  const std::string stream =
      R"(data: {"choices":[{"index":0,"delta":{}}],"usage":{"prompt_tokens":5}})"
      "\n\n"
      R"(data: {"choices":[],"usage":null})"
      "\n\n"
      R"(data: {"choices":[]})"
      "\n\n"
      R"(data: {"usage":{"prompt_tokens":5}})"
      "\n\n"
      R"(data: {"choices":[{"delta":{"content":"\"choices\":[],\"usage\":{}"}}]})"
      "\n\ndata: [DONE]\n\n";
  expect(stream, stream, false);
}

TEST(UsageChunkFilter, CommentsAndOtherFieldsPass) {
  const std::string usage(kUsage);
  expect(": hello\n" + usage + "\n\n: bye\n\nid: 4\ndata: x\n\n",
         ": hello\n: bye\n\nid: 4\ndata: x\n\n", true);
  expect("event: message\n" + usage + "\n\nrest", "rest", true);
}

TEST(UsageChunkFilter, AnUnclosedUsageChunkAtTheEndGoesToo) {
  expect("data: x\n\n" + std::string(kUsage), "data: x\n\n", true);
  expect("data: x\n\n" + std::string(kUsage) + "\n", "data: x\n\n", true);
  expect(std::string(kUsage).substr(0, 60), std::string(kUsage).substr(0, 60), false);
}

TEST(UsageChunkFilter, HoldsBackNoMoreThanOneEventThatCouldBeIt) {
  UsageChunkFilter filter;
  std::string out;
  const std::string plain = R"(data: {"id":"c","choices":[{"index":0,"delta":{"content":"unfin)";
  filter.feed(plain, out);
  EXPECT_EQ(out, plain);
  out.clear();
  filter.feed("ished\"}}]}\n\n", out);
  EXPECT_EQ(out, "ished\"}}]}\n\n");
  out.clear();
  const std::string big(20000, 'x');
  filter.feed("data: " + big, out);
  EXPECT_EQ(out, "data: " + big);
  out.clear();
  filter.feed("\n\n" + std::string(kUsage).substr(0, 30), out);
  EXPECT_EQ(out, "\n\n");
}

TEST(UsageChunkFilter, OversizedEventsPassHoweverTheyAreCut) {
  const std::string big =
      R"(data: {"choices":[],"usage":{},"x":")" + std::string(17000, 'x') + "\"}\n\n";
  for (const std::size_t step : {1u, 100u, 16384u, 16385u, 20000u}) {
    EXPECT_EQ(filter(big, step).bytes, big);
  }
}

}  // namespace
}  // namespace berth::inspect
