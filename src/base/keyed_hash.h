// Keyed hashes: how session ids and credentials appear in logs, metrics, files and pages.
//
// A session id or a key never leaves the process as it is. The hash is HMAC-SHA-256 under a key
// from the state directory (or a random one without it), cut to 64 bits, so equal ids can be
// followed and none can be guessed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth {

// Immutable after construction, so safe to share between threads.
class KeyedHash {
 public:
  using Key = std::array<unsigned char, 32>;

  explicit KeyedHash(const Key& key) : key_(key) {}
  // A hash under a key drawn from the OS's random source.
  static KeyedHash random();

  // 16 lower-case hex digits.
  std::string hex(std::string_view text) const;
  std::uint64_t value(std::string_view text) const;
  // A value as hex() prints it, and back; none for any other text.
  static std::string hex(std::uint64_t value);
  static std::optional<std::uint64_t> from_hex(std::string_view digits);
  const Key& key() const { return key_; }

 private:
  Key key_;
};

// True if the two digests are equal; the time taken does not depend on where they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace berth
