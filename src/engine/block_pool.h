// The KV blocks of one rank: who holds them, which hash they have, and which goes next.
//
// Source: vllm/v1/core/block_pool.py. A block that nobody holds stays in the free queue with its
// hash and can be hit; it loses the hash only when it is given to another use (an eviction). A
// request's blocks go back in reverse, so the tail of a conversation is evicted before its head.
// Blocks of the same content are not merged.
//
// Invariants (block_pool_test.cc and scheduler_random_test.cc hold to them): a block is in the free
// queue exactly if nobody holds it; referenced() + free_blocks() == usable().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/block_hash.h"
#include "engine/block_index.h"
#include "engine/free_queue.h"
#include "engine/match_watch.h"

namespace berth::engine {

class BlockPool {
 public:
  // `blocks` counts the null block. `unhashed_first`: ServerSpec.
  BlockPool(BlockId blocks, bool unhashed_first);

  std::uint32_t usable() const { return blocks_ - 1; }
  std::uint32_t free_blocks() const { return queue_.size(); }
  std::uint32_t referenced() const { return usable() - free_blocks(); }
  // Blocks with a hash, held or not.
  std::uint32_t cached() const { return index_.size(); }
  // Blocks that lost their hash so far.
  std::uint64_t evicted() const { return evicted_; }

  // The block that holds it, or kNoBlock.
  BlockId find(BlockHash hash) const { return index_.find(hash); }
  bool is_free(BlockId block) const { return holders_[block] == 0; }

  // One more holder of a block that was found.
  void touch(BlockId block);
  // The head of the free queue, with one holder and no hash. free_blocks() must be above 0.
  BlockId take();
  // The block is full: it can be hit from now on. It must have no hash.
  void publish(BlockId block, BlockHash hash);
  // One holder less of each, in the order of the sequence they belong to.
  void release(std::span<const BlockId> blocks);

  // Told of every change that a lookup can notice.
  MatchWatch& watch() { return watch_; }

  // For tests.
  std::uint32_t holders(BlockId block) const {
    return block < holders_.size() ? holders_[block] : 0;
  }
  const FreeQueue& queue() const { return queue_; }
  const BlockIndex& index() const { return index_; }

 private:
  BlockId blocks_;
  bool unhashed_first_;
  FreeQueue queue_;
  BlockIndex index_;
  std::vector<std::uint32_t> holders_;  // by block, up to the last that was ever taken
  MatchWatch watch_;
  std::uint64_t evicted_ = 0;
};

}  // namespace berth::engine
