#include "gateway/credible_usage.h"

#include <gtest/gtest.h>

namespace berth::gateway {
namespace {

using Count = std::optional<std::uint64_t>;

inspect::TapResult told(Count prompt, Count cached, Count output) {
  inspect::TapResult result;
  result.prompt_tokens = prompt;
  result.cached_tokens = cached;
  result.output_tokens = output;
  return result;
}

TEST(CredibleUsage, PassesWhatCanBeTrue) {
  const routing::Usage usage = credible_usage(told(100, 100, 7));
  EXPECT_EQ(usage.prompt_tokens, 100u);
  EXPECT_EQ(usage.cached_tokens, 100u);
  EXPECT_EQ(usage.output_tokens, 7u);
  EXPECT_FALSE(credible_usage(told(100, {}, 7)).cached_tokens);
}

TEST(CredibleUsage, TakesCountsNoRequestCanHaveForNotTold) {
  EXPECT_FALSE(credible_usage(told(kMostTokens + 1, 5, 1)).prompt_tokens);
  EXPECT_FALSE(credible_usage(told(100, 5, kMostTokens + 1)).output_tokens);
  EXPECT_EQ(credible_usage(told(kMostTokens, 5, kMostTokens)).output_tokens, kMostTokens);
}

TEST(CredibleUsage, CachedTokensAreAPartOfThePrompt) {
  EXPECT_FALSE(credible_usage(told(100, 101, 1)).cached_tokens);
  EXPECT_FALSE(credible_usage(told({}, 5, 1)).cached_tokens);
  EXPECT_FALSE(credible_usage(told(kMostTokens + 1, 5, 1)).cached_tokens);
}

}  // namespace
}  // namespace berth::gateway
