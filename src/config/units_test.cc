#include "config/units.h"

#include <gtest/gtest.h>

namespace berth::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_EQ(parse_duration("500ms"), Duration(milliseconds(500)));
  EXPECT_EQ(parse_duration("4s"), Duration(seconds(4)));
  EXPECT_EQ(parse_duration("10m"), Duration(minutes(10)));
  EXPECT_EQ(parse_duration("1h"), Duration(hours(1)));
  EXPECT_EQ(parse_duration("1.5s"), Duration(milliseconds(1500)));
  EXPECT_EQ(parse_duration("1h30m"), Duration(minutes(90)));
  EXPECT_EQ(parse_duration("1m30s250ms"), Duration(milliseconds(90'250)));
  EXPECT_EQ(parse_duration("0"), Duration::zero());
  EXPECT_EQ(parse_duration("0s"), Duration::zero());
}

TEST(ParseDuration, RefusesWhatIsNotADuration) {
  for (const char* bad : {"", "10", "s", "10x", "-4s", "4 s", "30m1h", "1s1s", ".5s", "5.s", "1e3s",
                          "1..5s", "99999999h", "4S", "4s ", "nan", "4s,"}) {
    EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
  }
}

TEST(FormatDuration, IsShortAndReadsBack) {
  EXPECT_EQ(format_duration(seconds(90)), "90s");
  EXPECT_EQ(format_duration(seconds(120)), "2m");
  EXPECT_EQ(format_duration(hours(1)), "1h");
  EXPECT_EQ(format_duration(milliseconds(1500)), "1500ms");
  EXPECT_EQ(format_duration(Duration::zero()), "0s");
  for (const int ms : {1, 250, 1000, 4000, 60'000, 61'000, 3'600'000}) {
    EXPECT_EQ(parse_duration(format_duration(milliseconds(ms))), Duration(milliseconds(ms))) << ms;
  }
}

TEST(ParseSize, ReadsEveryUnit) {
  EXPECT_EQ(parse_size("64MiB"), 64ull << 20);
  EXPECT_EQ(parse_size("64 MiB"), 64ull << 20);
  EXPECT_EQ(parse_size("2gib"), 2ull << 30);
  EXPECT_EQ(parse_size("64KiB"), 65'536u);
  EXPECT_EQ(parse_size("1GB"), 1'000'000'000u);
  EXPECT_EQ(parse_size("5MB"), 5'000'000u);
  EXPECT_EQ(parse_size("7kB"), 7'000u);
  EXPECT_EQ(parse_size("12B"), 12u);
  EXPECT_EQ(parse_size("4096"), 4096u);
}

TEST(ParseSize, RefusesWhatIsNotASize) {
  for (const char* bad : {"", "MiB", "64M", "64k", "-1", "1.5GiB", "64  MiB", "64MiB ",
                          "99999999999999999999", "99999999999GiB", "0x10"}) {
    EXPECT_EQ(parse_size(bad), std::nullopt) << bad;
  }
}

TEST(FormatSize, IsShortAndReadsBack) {
  EXPECT_EQ(format_size(64ull << 20), "64MiB");
  EXPECT_EQ(format_size(2ull << 30), "2GiB");
  EXPECT_EQ(format_size(1536), "1536B");
  EXPECT_EQ(format_size(0), "0B");
  for (const std::uint64_t size : {1ull, 1000ull, 1024ull, 5'000'000ull, 3ull << 30}) {
    EXPECT_EQ(parse_size(format_size(size)), size);
  }
}

}  // namespace
}  // namespace berth::config
