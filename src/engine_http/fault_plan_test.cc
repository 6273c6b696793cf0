#include "engine_http/fault_plan.h"

#include <gtest/gtest.h>

namespace berth::engine_http {
namespace {

TEST(FaultPlan, ReadsEveryFault) {
  const auto refuse = parse_fault_plan("refuse-503, retry-after=7");
  ASSERT_TRUE(refuse);
  EXPECT_EQ(refuse->refuse, 503);
  EXPECT_EQ(refuse->retry_after, 7u);
  EXPECT_EQ(parse_fault_plan("slow-first-byte=250")->slow_first_byte.count(), 250);
  EXPECT_TRUE(parse_fault_plan("hang")->hang);
  EXPECT_TRUE(parse_fault_plan("die-before-first-byte")->die_before_first_byte);
  const auto die = parse_fault_plan("die-mid-stream");
  EXPECT_EQ(die->stream_fault, StreamFault::kDie);
  EXPECT_EQ(die->stream_tokens, 3u);
  EXPECT_EQ(parse_fault_plan("die-after-head")->stream_tokens, 0u);
  EXPECT_EQ(parse_fault_plan("hang-mid-stream=5")->stream_tokens, 5u);
  EXPECT_EQ(parse_fault_plan("error-mid-stream")->stream_fault, StreamFault::kError);
  EXPECT_FALSE(parse_fault_plan("")->refuse.has_value());
}

TEST(FaultPlan, NamesWhatItDoesNotKnow) {
  for (const char* bad : {"refuse-200", "refuse-", "refuse-9999", "slow-first-byte",
                          "slow-first-byte=x", "die-mid-stream=", "hang=3", "burn"}) {
    const auto plan = parse_fault_plan(bad);
    ASSERT_FALSE(plan) << bad;
    EXPECT_NE(plan.error().message.find(bad), std::string::npos);
  }
}

}  // namespace
}  // namespace berth::engine_http
