// A ring of hashes: every replica has 160 points on it, and a key belongs to the first point at or
// after it, clockwise.
//
// Source: Karger et al.: Consistent hashing and random trees (STOC 1997); 160 points a server as in
// ketama and in vllm-project/router, src/policies/consistent_hash.rs. A replica that leaves gives
// its keys to its neighbours on the ring, about one key in N, and gets the same ones back.
//
// Points depend on the replicas' labels alone, so every process has the same ring. Pure; owned by
// one policy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "routing/types.h"

namespace berth::sim {

class HashRing {
 public:
  static constexpr std::uint32_t kPoints = 160;  // of one replica

  void add(routing::ReplicaIndex replica, std::string_view label);

  // The first replica clockwise from the key for which fits(replica) holds.
  template <typename Fits>
  std::optional<routing::ReplicaIndex> find(std::uint64_t key, Fits fits) const {
    const auto home = std::lower_bound(points_.begin(), points_.end(), Point{key, 0});
    for (auto point = home; point != points_.end(); ++point) {
      if (fits(point->replica)) return point->replica;
    }
    for (auto point = points_.begin(); point != home; ++point) {
      if (fits(point->replica)) return point->replica;
    }
    return std::nullopt;
  }

 private:
  struct Point {
    std::uint64_t hash;
    routing::ReplicaIndex replica;
    friend auto operator<=>(const Point&, const Point&) = default;
  };
  std::vector<Point> points_;  // in their order on the ring
};

}  // namespace berth::sim
