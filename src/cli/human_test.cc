#include "cli/human.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

TEST(Human, ThousandsAreSeparated) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1'000), "1,000");
  EXPECT_EQ(thousands(12'345'678), "12,345,678");
  EXPECT_EQ(thousands(18'446'744'073'709'551'615ull), "18,446,744,073,709,551,615");
}

TEST(Human, CompactKeepsThreeDigitsOrSo) {
  EXPECT_EQ(compact(999), "999");
  EXPECT_EQ(compact(1'000), "1.0k");
  EXPECT_EQ(compact(38'249), "38.2k");
  EXPECT_EQ(compact(999'949), "999.9k");
  EXPECT_EQ(compact(999'950), "1.00M");
  EXPECT_EQ(compact(1'254'000), "1.25M");
}

TEST(Human, AShareOfNothingIsADash) {
  EXPECT_EQ(percent(std::nullopt), "-");
  EXPECT_EQ(percent(0.0), "0.0%");
  EXPECT_EQ(percent(0.8641), "86.4%");
  EXPECT_EQ(percent(1.0), "100.0%");
}

TEST(Human, DurationsHaveTwoUnitsAtMost) {
  EXPECT_EQ(duration(-1), "0 s");
  EXPECT_EQ(duration(0), "0 s");
  EXPECT_EQ(duration(0.42), "0.4 s");
  EXPECT_EQ(duration(4.04), "4 s");
  EXPECT_EQ(duration(9.97), "10 s");
  EXPECT_EQ(duration(59.4), "59 s");
  EXPECT_EQ(duration(59.6), "1 min");
  EXPECT_EQ(duration(200), "3 min 20 s");
  EXPECT_EQ(duration(7'380), "2 h 3 min");
  EXPECT_EQ(duration(86'400.0 * 3 + 3'600 * 4 + 59), "3 d 4 h");
}

TEST(Human, NounsAgree) {
  EXPECT_EQ(counted(1, "turn"), "1 turn");
  EXPECT_EQ(counted(0, "turn"), "0 turns");
  EXPECT_EQ(counted(1'200, "turn"), "1,200 turns");
}

}  // namespace
}  // namespace berth::cli
