// Which block of a rank holds the KV of which hash.
//
// Source: vllm/v1/core/block_pool.py (BlockHashToBlockMap): blocks with the same hash are not
// merged; a lookup finds the one that got the hash first, and when that one loses it, the next.
//
// An open hash table of 8 bytes a slot, at most half full, and 16 bytes a block. It grows as blocks
// get hashes and allocates nothing else. Not thread safe.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/block_hash.h"
#include "engine/free_queue.h"

namespace berth::engine {

// The null block holds no hash, so it stands for "no block".
inline constexpr BlockId kNoBlock = 0;

class BlockIndex {
 public:
  BlockIndex();

  // kNoBlock if no block holds it.
  BlockId find(BlockHash hash) const;
  // The block must hold none.
  void add(BlockId block, BlockHash hash);
  // The block must hold one.
  void remove(BlockId block);
  bool holds_hash(BlockId block) const { return block < nodes_.size() && nodes_[block].held; }
  // Blocks that hold a hash.
  std::uint32_t size() const { return held_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // upper half of the hash
    BlockId first = kNoBlock;
  };
  // Blocks of one hash form a list in the order they got it.
  struct Node {
    BlockHash hash = 0;
    BlockId next : 31 = kNoBlock;
    BlockId held : 1 = 0;
    BlockId last = kNoBlock;  // of the list; kept by its first block only
  };

  // Where the hash is, or the empty slot where it would be.
  std::size_t slot_of(BlockHash hash) const;
  void replace_first(std::size_t slot);
  void erase_slot(std::size_t slot);
  void grow();

  std::vector<Slot> slots_;  // a power of two
  std::vector<Node> nodes_;  // by block
  std::uint32_t distinct_ = 0;
  std::uint32_t held_ = 0;
};

}  // namespace berth::engine
