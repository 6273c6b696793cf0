// A ConversationKey in one string: one allocation a binding instead of four.
//
// Three length prefixes make the packing unambiguous, so equal bytes mean equal keys: comparing
// packed keys compares the whole conversation, never a prefix of an id.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "routing/types.h"

namespace berth::routing {

class PackedKey {
 public:
  explicit PackedKey(const ConversationKey& key);

  const std::string& bytes() const { return bytes_; }
  std::string_view session() const;
  std::string_view agent() const;
  ConversationKey unpack() const;

  friend bool operator==(const PackedKey&, const PackedKey&) = default;

 private:
  std::string bytes_;
};

// What the rendezvous hash sees of a conversation. Without the tenant: that is a keyed hash of a
// credential when no client keys are configured, and its key is lost together with the table.
std::uint64_t placement_hash(const ConversationKey& key);

}  // namespace berth::routing
