// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), 64 bits.
//
// Two uses with different keys. With kStableKey the value is the same in every process and version:
// what the rendezvous hash needs, so that a lost table finds its homes again. With a key drawn from
// the router's seed it guards hash tables whose keys clients choose: nobody can aim many ids at one
// bucket. std::hash serves neither: its value is not promised and its seed is public.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth::routing {

struct HashKey {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
};

inline constexpr HashKey kStableKey{};

// A key for tables of a router with that seed.
HashKey table_key(std::uint64_t seed);

std::uint64_t sip_hash(HashKey key, std::string_view text);

// Mixes two 64-bit values into one (the finaliser of SplitMix64 over their sum; Steele, Lea and
// Flood, 2014).
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

}  // namespace berth::routing
