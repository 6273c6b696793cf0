// The configuration and routing or observe each know the names of policies, identity sources and
// log levels, and neither may include the other. Here they meet.
#include <gtest/gtest.h>

#include "config/names.h"
#include "observe/log.h"
#include "routing/identity.h"
#include "routing/settings.h"

namespace berth {
namespace {

TEST(ConfigNames, EveryPolicyIsOneOfRouting) {
  for (const std::string_view name : config::kPolicyNames) {
    const auto policy = routing::policy_from_name(name);
    ASSERT_TRUE(policy.has_value()) << name;
    EXPECT_EQ(routing::policy_name(*policy), name);
  }
  EXPECT_EQ(static_cast<std::size_t>(routing::Policy::kLeastLoaded) + 1,
            config::kPolicyNames.size());
}

TEST(ConfigNames, IdentitySourcesAreThoseOfRoutingInItsDefaultOrder) {
  const auto order = routing::IdentityRules::defaults().order;
  ASSERT_EQ(order.size(), config::kIdentityNames.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(routing::identity_source_name(order[i]), config::kIdentityNames[i]);
  }
}

TEST(ConfigNames, LogLevelsAreThoseOfTheLog) {
  for (const std::string_view name : config::kLogLevelNames) {
    const auto level = observe::parse_log_level(name);
    ASSERT_TRUE(level.has_value()) << name;
    EXPECT_EQ(observe::log_level_name(*level), name);
  }
  EXPECT_EQ(static_cast<std::size_t>(observe::LogLevel::kOff) + 1, config::kLogLevelNames.size());
}

TEST(ConfigNames, TheAssumedCapacityIsThatOfRouting) {
  EXPECT_EQ(config::kAssumedMaxNumSeqs, routing::Settings::kAssumedMaxNumSeqs);
}

}  // namespace
}  // namespace berth
