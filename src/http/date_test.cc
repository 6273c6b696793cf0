#include "http/date.h"

#include <gtest/gtest.h>

namespace berth::http {
namespace {

TEST(HttpDate, IsWrittenAsRfc9110Has) {
  EXPECT_EQ(http_date(WallTime{} + std::chrono::seconds(784'111'777)),
            "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(WallTime{}), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace berth::http
