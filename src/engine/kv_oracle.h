// Blocks that come back free: with one of these, a block that any of its servers has ever computed
// is never computed again, though it takes room like any other. It bounds what a perfect host
// tier could do (the policy `oracle` of the simulator).
//
// Owner: shared by the servers given it; must outlive none. Not thread safe. Grows by 8 to 16
// bytes for every distinct block of the run.
#pragma once

#include <unordered_set>

#include "engine/block_hash.h"

namespace berth::engine {

class KvOracle {
 public:
  void add(BlockHash hash) { computed_.insert(hash); }
  bool contains(BlockHash hash) const { return computed_.contains(hash); }

 private:
  std::unordered_set<BlockHash> computed_;
};

}  // namespace berth::engine
