#include "engine/block_cache.h"

#include "base/check.h"

namespace berth::engine {

std::size_t BlockCache::match(std::span<const BlockHash> hashes) const {
  std::size_t hits = 0;
  while (hits < hashes.size() && entries_.contains(hashes[hits])) ++hits;
  return hits;
}

bool BlockCache::fits(std::span<const BlockHash> hits, std::uint64_t total) const {
  std::uint64_t unheld = 0;
  for (const BlockHash hash : hits) {
    if (entries_.at(hash).holders == 0) ++unheld;
  }
  return total - hits.size() + unheld <= usable_ - referenced();
}

BlockLease BlockCache::take(std::span<const BlockHash> hits, std::uint64_t total) {
  BlockLease lease;
  lease.hashed.assign(hits.begin(), hits.end());
  for (const BlockHash hash : hits) {
    Entry& entry = entries_.at(hash);
    if (entry.holders++ == 0) free_.erase(entry.free_place);
  }
  lease.anonymous = total - hits.size();
  evict_until(lease.anonymous);
  anonymous_ += lease.anonymous;
  return lease;
}

void BlockCache::evict_until(std::uint64_t room) {
  while (usable_ - anonymous_ - entries_.size() < room) {
    BERTH_CHECK(!free_.empty());
    entries_.erase(free_.front());
    free_.pop_front();
  }
}

void BlockCache::publish(BlockLease& lease, BlockHash hash) {
  BERTH_CHECK(lease.anonymous > 0);
  const auto [entry, is_new] = entries_.try_emplace(hash);
  if (!is_new) return;
  entry->second.holders = 1;
  lease.hashed.push_back(hash);
  --lease.anonymous;
  --anonymous_;
}

void BlockCache::release(BlockLease& lease) {
  for (auto hash = lease.hashed.rbegin(); hash != lease.hashed.rend(); ++hash) {
    Entry& entry = entries_.at(*hash);
    BERTH_CHECK(entry.holders > 0);
    if (--entry.holders == 0) entry.free_place = free_.insert(free_.end(), *hash);
  }
  anonymous_ -= lease.anonymous;
  lease = {};
}

}  // namespace berth::engine
