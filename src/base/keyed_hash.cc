#include "base/keyed_hash.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <charconv>

#include "base/check.h"

namespace berth {

KeyedHash KeyedHash::random() {
  Key key;
  BERTH_CHECK(RAND_bytes(key.data(), static_cast<int>(key.size())) == 1);
  return KeyedHash(key);
}

std::uint64_t KeyedHash::value(std::string_view text) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int length = 0;
  const unsigned char* out = HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
                                  reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                                  digest.data(), &length);
  BERTH_CHECK(out != nullptr && length >= 8);
  std::uint64_t v = 0;
  for (int i = 0; i < 8; ++i) v = (v << 8) | digest[static_cast<std::size_t>(i)];
  return v;
}

std::string KeyedHash::hex(std::string_view text) const { return hex(value(text)); }

std::string KeyedHash::hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::optional<std::uint64_t> KeyedHash::from_hex(std::string_view digits) {
  constexpr std::size_t kDigits = 16;
  if (digits.size() != kDigits) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + kDigits, value, 16);
  if (error != std::errc() || end != digits.data() + kDigits || hex(value) != digits)
    return std::nullopt;
  return value;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace berth
