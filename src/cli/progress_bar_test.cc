#include "cli/progress_bar.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

TEST(ProgressLine, SaysHowFarAndHowLongYet) {
  EXPECT_EQ(progress_line(0, 30, 1), "[--------------------]   0 %  0 of 30");
  EXPECT_EQ(progress_line(12, 30, 12), "[########------------]  40 %  12 of 30, 18 s left");
  EXPECT_EQ(progress_line(30, 30, 30), "[####################] 100 %  30 of 30");
  EXPECT_EQ(progress_line(0, 0, 0), "[####################] 100 %  0 of 0");
}

}  // namespace
}  // namespace berth::cli
