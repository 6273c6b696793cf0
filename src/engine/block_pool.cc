#include "engine/block_pool.h"

#include "base/check.h"

namespace berth::engine {

BlockPool::BlockPool(BlockId blocks, bool unhashed_first)
    : blocks_(blocks), unhashed_first_(unhashed_first), queue_(blocks), holders_(1) {}

void BlockPool::touch(BlockId block) {
  if (holders_[block]++ > 0) return;
  queue_.remove(block);
  watch_.changed(block);
}

void BlockPool::publish(BlockId block, BlockHash hash) {
  index_.add(block, hash);
  watch_.published(hash);
}

BlockId BlockPool::take() {
  const BlockId block = queue_.pop();
  if (block >= holders_.size()) holders_.resize(block + 1);
  BERTH_CHECK(holders_[block] == 0);
  holders_[block] = 1;
  if (index_.holds_hash(block)) {
    index_.remove(block);
    watch_.changed(block);
    ++evicted_;
  }
  return block;
}

void BlockPool::release(std::span<const BlockId> blocks) {
  // Of those that go to the head, the last of the sequence is taken first: put back first to last.
  for (const BlockId block : blocks) {
    BERTH_CHECK(holders_[block] > 0);
    if (--holders_[block] > 0) continue;
    watch_.changed(block);
    if (unhashed_first_ && !index_.holds_hash(block)) {
      queue_.prepend(block);
    }
  }
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    if (holders_[*block] > 0) continue;
    if (!unhashed_first_ || index_.holds_hash(*block)) queue_.append(*block);
  }
}

}  // namespace berth::engine
