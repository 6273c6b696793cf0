// One rank's paged KV cache: blocks known by their hash, kept after use until the room is needed,
// oldest release first.
//
// Source: vllm/v1/core/block_pool.py: a hit takes a block out of the free queue at any position; a
// request's blocks are freed in reverse, so the tail of a conversation is evicted first; a block
// loses its hash only when it is given to another use; two requests that compute the same block at
// once both keep one (no merging).
//
// Invariant: referenced() <= usable(), and no block is in two leases unless it is shared by its
// hash.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/block_hash.h"

namespace berth::engine {

// What one request holds.
struct BlockLease {
  std::vector<BlockHash> hashed;  // in the order of the sequence
  std::uint64_t anonymous = 0;    // blocks without a hash: not full yet, or duplicates
};

class BlockCache {
 public:
  explicit BlockCache(std::uint64_t usable_blocks) : usable_(usable_blocks) {}

  // How many of the hashes, from the first on, are in the cache.
  std::size_t match(std::span<const BlockHash> hashes) const;
  // Whether `total` blocks can be had, of which `hits` are in the cache: hits that nobody holds
  // take room from the free queue as well.
  bool fits(std::span<const BlockHash> hits, std::uint64_t total) const;
  // Takes them; fits() must be true. The rest is anonymous, made by evicting.
  BlockLease take(std::span<const BlockHash> hits, std::uint64_t total);
  // One anonymous block of the lease is full now and known by its hash. Stays anonymous if the hash
  // is known.
  void publish(BlockLease& lease, BlockHash hash);
  void release(BlockLease& lease);

  std::uint64_t usable() const { return usable_; }
  std::uint64_t referenced() const { return anonymous_ + entries_.size() - free_.size(); }
  // Blocks that hold a known prefix, in use or not.
  std::uint64_t cached() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint32_t holders = 0;
    std::list<BlockHash>::iterator free_place;  // valid while holders == 0
  };
  void evict_until(std::uint64_t room);

  std::uint64_t usable_;
  std::uint64_t anonymous_ = 0;
  std::unordered_map<BlockHash, Entry> entries_;
  std::list<BlockHash> free_;  // front is evicted first
};

}  // namespace berth::engine
