#include "base/suggest.h"

#include <gtest/gtest.h>

#include <array>

namespace berth {
namespace {

constexpr std::array<std::string_view, 4> kCommands = {"serve", "engine", "check-config", "status"};

TEST(EditDistance, CountsEachKindOfSlipOnce) {
  EXPECT_EQ(edit_distance("listen", "listen"), 0u);
  EXPECT_EQ(edit_distance("listn", "listen"), 1u);
  EXPECT_EQ(edit_distance("liisten", "listen"), 1u);
  EXPECT_EQ(edit_distance("lixten", "listen"), 1u);
  EXPECT_EQ(edit_distance("lisetn", "listen"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(Closest, FindsSlipsAndIgnoresCaseAndDashes) {
  EXPECT_EQ(closest("sevre", kCommands), "serve");
  EXPECT_EQ(closest("Check_Config", kCommands), "check-config");
  EXPECT_EQ(closest("stat", kCommands), "status");
}

TEST(Closest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(closest("nope", kCommands), std::nullopt);
  EXPECT_EQ(closest("", kCommands), std::nullopt);
  EXPECT_EQ(closest("s", kCommands), std::nullopt);  // begins two of them
}

TEST(Closest, BoundsItsWorkOnVeryLongWords) {
  EXPECT_EQ(closest(std::string(1'000'000, 'x'), kCommands), std::nullopt);
}

TEST(DidYouMean, IsAPhraseToAppend) {
  EXPECT_EQ(did_you_mean("enigne", kCommands), "; did you mean \"engine\"?");
  EXPECT_EQ(did_you_mean("zzz", kCommands), "");
}

}  // namespace
}  // namespace berth
