// Whether the result of a lookup still holds. A request that cannot be admitted is looked up anew
// in every step (vLLM does, and counts it); with this the model need not walk its blocks again
// while nothing has changed.
//
// Not thread safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/block_hash.h"
#include "engine/free_queue.h"

namespace berth::engine {

class MatchWatch {
 public:
  // Watches these blocks, and for the hash at which the lookup missed, if it did.
  void set(std::span<const BlockId> blocks, std::optional<BlockHash> missing) {
    if (++epoch_ == 0) {
      std::fill(marks_.begin(), marks_.end(), 0);
      epoch_ = 1;
    }
    for (const BlockId block : blocks) {
      if (block >= marks_.size()) marks_.resize(block + 1);
      marks_[block] = epoch_;
    }
    missing_ = missing;
    holds_ = true;
  }
  void drop() { holds_ = false; }
  bool holds() const { return holds_; }

  // A block was evicted, or came to have its first holder, or lost its last.
  void changed(BlockId block) {
    if (block < marks_.size() && marks_[block] == epoch_) holds_ = false;
  }
  void published(BlockHash hash) {
    if (missing_ == hash) holds_ = false;
  }

 private:
  std::vector<std::uint32_t> marks_;  // the epoch in which a block was watched last, by block
  std::uint32_t epoch_ = 0;
  std::optional<BlockHash> missing_;
  bool holds_ = false;
};

}  // namespace berth::engine
