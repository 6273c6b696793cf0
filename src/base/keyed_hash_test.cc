#include "base/keyed_hash.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(KeyedHash, SameTextSameKeyGivesSameHexAndAnotherKeyGivesAnother) {
  KeyedHash::Key a{};
  KeyedHash::Key b{};
  b[0] = 1;
  EXPECT_EQ(KeyedHash(a).hex("session-1"), KeyedHash(a).hex("session-1"));
  EXPECT_NE(KeyedHash(a).hex("session-1"), KeyedHash(a).hex("session-12"));
  EXPECT_NE(KeyedHash(a).hex("session-1"), KeyedHash(b).hex("session-1"));
  EXPECT_EQ(KeyedHash(a).hex("x").size(), 16u);
}

TEST(KeyedHash, ReadsItsOwnHexBackAndNothingElse) {
  EXPECT_EQ(KeyedHash::from_hex(KeyedHash::hex(0)), 0u);
  EXPECT_EQ(KeyedHash::from_hex("00ff00000000abcd"), 0x00ff00000000abcdu);
  for (const char* other : {"", "s1", "00FF00000000ABCD", "00ff00000000abcd0", "0x0f00000000abcd",
                            "-0ff00000000abcd", "00ff00000000abc "}) {
    EXPECT_FALSE(KeyedHash::from_hex(other)) << other;
  }
}

TEST(KeyedHash, RandomKeysDiffer) {
  EXPECT_NE(KeyedHash::random().key(), KeyedHash::random().key());
}

TEST(ConstantTime, ComparesWholeDigests) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abcd"));
}

}  // namespace
}  // namespace berth
