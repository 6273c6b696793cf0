#include "observe/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::observe {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

TEST(Log, WritesTimeLevelAndText) {
  CaptureStderr();
  log_warning("server {} is {}", "http://gpu0:8000", "down");
  EXPECT_THAT(
      GetCapturedStderr(),
      ::testing::MatchesRegex("[0-9-]+T[0-9:.]+Z warning server http://gpu0:8000 is down\n"));
}

TEST(Log, LinesBelowTheLevelAreNotWritten) {
  set_log_level(LogLevel::kError);
  CaptureStderr();
  log_warning("quiet");
  log_error("loud");
  const std::string text = GetCapturedStderr();
  set_log_level(LogLevel::kInfo);
  EXPECT_EQ(text.find("quiet"), std::string::npos);
  EXPECT_NE(text.find("loud"), std::string::npos);
}

TEST(Log, TextFromAPeerCannotForgeALine) {
  CaptureStderr();
  log_info("peer said {}", "a\n2026-01-01T00:00:00Z error fake");
  const std::string text = GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(Log, LevelNamesRoundTrip) {
  for (const auto level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError, LogLevel::kOff}) {
    EXPECT_EQ(parse_log_level(log_level_name(level)), level);
  }
  EXPECT_EQ(parse_log_level("loud"), std::nullopt);
}

}  // namespace
}  // namespace berth::observe
