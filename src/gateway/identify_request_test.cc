#include "gateway/identify_request.h"

#include <gtest/gtest.h>

#include <set>

namespace berth::gateway {
namespace {

TEST(ConversationHashes, CoverTheWholeKeyPartByPart) {
  const KeyedHash hash(KeyedHash::Key{});
  std::set<std::uint64_t> seen;
  const std::vector<routing::ConversationKey> different = {
      {"t", "m", "s", ""},    {"t2", "m", "s", ""},   {"t", "m2", "s", ""},
      {"t", "m", "s", "a"},   {"t", "m", "sa", ""},   {"t", "m", "s\na", ""},
      {"t", "m", "s", "\na"}, {"t", "m", "s\n", "a"}, {"tm", "", "s", ""},
  };
  for (const routing::ConversationKey& key : different) {
    EXPECT_TRUE(seen.insert(conversation_hashes(hash, key).conversation).second)
        << key.tenant << '|' << key.model << '|' << key.session << '|' << key.agent;
  }
}

TEST(ConversationHashes, OfASessionAreEqualWhoeverSendsIt) {
  const KeyedHash hash(KeyedHash::Key{});
  EXPECT_EQ(conversation_hashes(hash, {"t", "m", "s", ""}).session, hash.value("s"));
  EXPECT_EQ(conversation_hashes(hash, {"t", "m", "s", "a"}).session, hash.value("s"));
}

}  // namespace
}  // namespace berth::gateway
