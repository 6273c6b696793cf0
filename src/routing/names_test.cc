#include <gtest/gtest.h>

#include <set>

#include "routing/settings.h"
#include "routing/types.h"

namespace berth::routing {
namespace {

template <typename Enum, typename Name>
void expect_distinct_names(int count, Name name) {
  std::set<std::string_view> seen;
  for (int i = 0; i < count; ++i) {
    const std::string_view text = name(static_cast<Enum>(i));
    EXPECT_NE(text, "unknown") << i;
    seen.insert(text);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(name(static_cast<Enum>(count)), "unknown");
}

TEST(Names, EveryValueHasItsOwn) {
  expect_distinct_names<Outcome>(static_cast<int>(kOutcomeCount), outcome_name);
  expect_distinct_names<Reason>(static_cast<int>(Reason::kRetried) + 1, reason_name);
  expect_distinct_names<IdentitySource>(static_cast<int>(IdentitySource::kContent) + 1,
                                        identity_source_name);
  expect_distinct_names<ReplicaState>(4, replica_state_name);
  expect_distinct_names<Policy>(4, policy_name);
}

TEST(Names, SettingsFindTheValueAgain) {
  for (int i = 0; i < 4; ++i) {
    const auto policy = static_cast<Policy>(i);
    EXPECT_EQ(policy_from_name(policy_name(policy)), policy);
  }
  for (int i = 1; i <= static_cast<int>(IdentitySource::kContent); ++i) {
    const auto source = static_cast<IdentitySource>(i);
    EXPECT_EQ(identity_source_from_name(identity_source_name(source)), source);
  }
  EXPECT_EQ(policy_from_name("stickiest"), std::nullopt);
  EXPECT_EQ(identity_source_from_name("none"), std::nullopt);
}

}  // namespace
}  // namespace berth::routing
