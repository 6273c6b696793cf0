#include "engine/measured_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::engine {
namespace {

using ::testing::HasSubstr;

TEST(MeasuredTimes, ReadsPromptsAndDecodes) {
  const auto spans = parse_measured_times(
      "# measured on a Tuesday\n\nprompt,5000,1000,1.5\r\n decode , 8, 4000 ,0.031\n", "t.csv",
      2'048);
  ASSERT_TRUE(spans) << spans.error().message;
  ASSERT_EQ(spans->size(), 2u);
  EXPECT_EQ((*spans)[0].steps, 2u);
  EXPECT_EQ((*spans)[0].load.prefill_tokens, 4'000u);
  EXPECT_DOUBLE_EQ((*spans)[0].seconds, 1.5);
  EXPECT_EQ((*spans)[1].load.decode_seqs, 8u);
  EXPECT_EQ((*spans)[1].load.decode_context, 32'000u);
  EXPECT_DOUBLE_EQ((*spans)[1].seconds, 0.031);
}

TEST(MeasuredTimes, ErrorsNameFileAndLine) {
  const auto message = [](const char* line) {
    const auto spans = parse_measured_times(std::string("# head\n") + line, "t.csv", 2'048);
    return spans ? std::string("nothing") : spans.error().message;
  };
  EXPECT_EQ(message("prompt,5000,0,1"), "nothing");
  EXPECT_THAT(message("prompt,5000,1.5"), HasSubstr("t.csv:2: 4 fields"));
  EXPECT_THAT(message("prefill,5000,0,1.5"), HasSubstr("t.csv:2: 'prefill' is neither"));
  EXPECT_THAT(message("prompt,many,0,1.5"), HasSubstr("'many' is no whole number"));
  EXPECT_THAT(message("prompt,5000,-1,1.5"), HasSubstr("'-1' is no whole number"));
  EXPECT_THAT(message("prompt,5000,5000,1.5"), HasSubstr("cannot be cached"));
  EXPECT_THAT(message("prompt,5000,0,0"), HasSubstr("'0' is no time"));
  EXPECT_THAT(message("prompt,5000,0,nan"), HasSubstr("'nan' is no time"));
  EXPECT_THAT(message("decode,0,10,1"), HasSubstr("at least one sequence"));
}

TEST(StepTimeText, RoundTrips) {
  const StepTime time;
  const auto read = parse_step_time(format_step_time(time));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->base, time.base);
  EXPECT_EQ(read->prefill_token, time.prefill_token);
  EXPECT_EQ(read->decode_seq, time.decode_seq);
  EXPECT_EQ(read->decode_context_token, time.decode_context_token);
  EXPECT_EQ(read->attention, time.attention);
  EXPECT_THAT(parse_step_time("0.1,0,0,0").error().message, HasSubstr("five numbers"));
  EXPECT_THAT(parse_step_time("0.1,0,0,0,0,0").error().message, HasSubstr("five numbers"));
  EXPECT_THAT(parse_step_time("0.1,x,0,0,0").error().message, HasSubstr("'x' is no number"));
}

}  // namespace
}  // namespace berth::engine
