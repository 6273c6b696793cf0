// The order in which the free blocks of one rank are given out again.
//
// Source: vllm/v1/core/kv_cache_utils.py (FreeKVCacheBlockQueue): a doubly linked list over the
// blocks themselves, first in block order, taken from the head, removed from anywhere in O(1).
// Block 0 is the null block and never in it.
//
// Blocks that were never given out are not stored: they lie, in block order, between those put
// back in front and those put back behind. So the memory is 8 bytes for every block that was ever
// in use. Not thread safe.
#pragma once

#include <cstdint>
#include <vector>

namespace berth::engine {

using BlockId = std::uint32_t;

class FreeQueue {
 public:
  // Blocks 1 to blocks - 1. `blocks` is at least 1.
  explicit FreeQueue(BlockId blocks);

  std::uint32_t size() const { return size_; }
  // Blocks below this one have been given out at some time.
  BlockId first_fresh() const { return first_fresh_; }

  // The head. Must not be called on an empty queue.
  BlockId pop();
  // To the tail; the block must be out of the queue.
  void append(BlockId block);
  // To the head. A block put there can only be popped, not removed.
  void prepend(BlockId block);
  // From wherever append() put it.
  void remove(BlockId block);

  // All of it, head first. For tests: it takes time and memory for every free block.
  std::vector<BlockId> order() const;

 private:
  struct Links {
    BlockId previous = 0;
    BlockId next = 0;
  };

  BlockId blocks_;
  BlockId first_fresh_ = 1;
  std::uint32_t size_;
  std::vector<BlockId> front_;  // the last is the head
  // A ring of the blocks that were appended, through the null block: its next is their head.
  std::vector<Links> links_;
};

}  // namespace berth::engine
