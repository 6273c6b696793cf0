#include "sim/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace berth::sim {
namespace {

using ::testing::HasSubstr;

TEST(Policies, EveryNameIsFoundOnceAndHasADescription) {
  std::set<std::string> names;
  for (const PolicyEntry& entry : policies()) {
    EXPECT_TRUE(names.insert(std::string(entry.name)).second) << entry.name;
    EXPECT_FALSE(entry.what.empty()) << entry.name;
    const auto found = find_policy(entry.name);
    ASSERT_TRUE(found.has_value()) << entry.name;
    EXPECT_EQ((*found)->name, entry.name);
  }
}

TEST(Policies, AMistypedNameIsGuessed) {
  const auto found = find_policy("randon");
  ASSERT_FALSE(found.has_value());
  EXPECT_THAT(found.error().message, HasSubstr("did you mean \"random\"?"));
}

TEST(Policies, ThePolicysNameInServeIsUnderstood) {
  const auto found = find_policy("sticky");
  ASSERT_FALSE(found.has_value());
  EXPECT_THAT(found.error().message, HasSubstr("did you mean \"on\""));
}

TEST(Policies, ThoseThatNeedTheLineSayThatItIsNotThereYet) {
  for (const char* name : {"berth", "berth-unbounded", "clairvoyant"}) {
    const auto found = find_policy(name);
    ASSERT_FALSE(found.has_value()) << name;
    EXPECT_THAT(found.error().message, HasSubstr("waiting line")) << name;
  }
}

}  // namespace
}  // namespace berth::sim
