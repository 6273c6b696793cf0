// Randomness of a simulation: SplitMix64, the same numbers on every machine and compiler (the
// standard library's distributions promise neither). Small, so that every session and every policy
// has its own and no draw of one moves the draws of another.
//
// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA 2014).
#pragma once

#include <cmath>
#include <cstdint>

namespace berth::sim {

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return mix(state_);
  }
  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // In [low, high).
  double uniform(double low, double high) { return low + (high - low) * unit(); }
  // In 0 .. n-1; n is not 0.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(unit() * static_cast<double>(n));
  }
  double exponential(double mean) { return -mean * std::log(1 - unit()); }
  bool chance(double probability) { return unit() < probability; }

 private:
  std::uint64_t state_;
};

// Seed of one stage of a run, and what session number `session` of that stage draws from: the same
// whatever came before it.
inline std::uint64_t stage_seed(std::uint64_t seed, std::uint32_t clients) {
  return mix(seed * 77'777 + clients);
}
inline Random session_random(std::uint64_t stage_seed, std::uint64_t session) {
  return Random(mix(stage_seed + 1'000'003 * session));
}

}  // namespace berth::sim
