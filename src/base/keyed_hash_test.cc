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
