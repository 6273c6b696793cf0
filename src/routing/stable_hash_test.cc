#include "routing/stable_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::routing {
namespace {

// From the appendix of the paper and its reference implementation: key 00..0f, messages 00 01 02
// ...
TEST(SipHash, GivesThePublishedValues) {
  const HashKey key{0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};
  std::string message;
  EXPECT_EQ(sip_hash(key, message), 0x726fdb47dd0e0e31ULL);
  message.push_back(0);
  EXPECT_EQ(sip_hash(key, message), 0x74f839c593dc67fdULL);
  for (char c = 1; c < 15; ++c) message.push_back(c);
  EXPECT_EQ(sip_hash(key, message), 0xa129ca6149be45e5ULL);
}

TEST(SipHash, TheStableKeyNeverChangesItsValues) {
  // If this fails, every lost table finds its conversations' homes no more.
  EXPECT_EQ(sip_hash(kStableKey, ""), 0x1e924b9d737700d7ULL);
  EXPECT_EQ(mix(1, 2), 0xf893a2eefb32555eULL);
}

TEST(SipHash, TableKeysOfDifferentSeedsDiffer) {
  EXPECT_NE(sip_hash(table_key(1), "x"), sip_hash(table_key(2), "x"));
}

}  // namespace
}  // namespace berth::routing
