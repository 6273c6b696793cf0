#include "cli/descriptor_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace berth::cli {
namespace {

using ::testing::HasSubstr;

TEST(DescriptorLimit, TheSoftLimitIsRaisedToTheHardOne) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_max, 256);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
  rlimit now{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(now.rlim_cur, before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(DescriptorLimit, AWarningNamesTheNumbers) {
  EXPECT_EQ(descriptor_warning(20'000, 10'000), std::nullopt);
  const std::string warning = descriptor_warning(4096, 10'000).value_or("");
  EXPECT_THAT(warning, HasSubstr("4096"));
  EXPECT_THAT(warning, HasSubstr("limits.connections = 10000"));
  EXPECT_THAT(warning, HasSubstr("20000"));
}

}  // namespace
}  // namespace berth::cli
