#include "routing/packed_key.h"

#include <gtest/gtest.h>

namespace berth::routing {
namespace {

TEST(PackedKey, GivesBackWhatWentIn) {
  const ConversationKey key{"tenant", "model", "session", "agent"};
  EXPECT_EQ(PackedKey(key).unpack(), key);
  EXPECT_EQ(PackedKey(key).session(), "session");
  EXPECT_EQ(PackedKey(key).agent(), "agent");
  const ConversationKey bare{"", "", "s", ""};
  EXPECT_EQ(PackedKey(bare).unpack(), bare);
}

TEST(PackedKey, MovingABoundaryBetweenPartsGivesAnotherKey) {
  EXPECT_FALSE(PackedKey({"ab", "c", "s", ""}) == PackedKey({"a", "bc", "s", ""}));
  EXPECT_FALSE(PackedKey({"t", "m", "s", "a"}) == PackedKey({"t", "m", "sa", ""}));
}

TEST(PackedKey, BytesOfEveryValueAreKept) {
  const ConversationKey key{std::string("\0\x01", 2), "m", std::string("a\0b", 3), "\xff"};
  EXPECT_EQ(PackedKey(key).unpack(), key);
}

TEST(PlacementHash, DoesNotDependOnTheTenant) {
  EXPECT_EQ(placement_hash({"hash-of-a-credential", "m", "s", "a"}),
            placement_hash({"another-hash", "m", "s", "a"}));
  EXPECT_NE(placement_hash({"t", "m", "s", "a"}), placement_hash({"t", "m", "s", "b"}));
  EXPECT_NE(placement_hash({"t", "m", "s", ""}), placement_hash({"t", "n", "s", ""}));
}

}  // namespace
}  // namespace berth::routing
