#include "engine/free_queue.h"

#include "base/check.h"

namespace berth::engine {

FreeQueue::FreeQueue(BlockId blocks) : blocks_(blocks), size_(blocks - 1), links_(1) {
  BERTH_CHECK(blocks > 0);
}

BlockId FreeQueue::pop() {
  BERTH_CHECK(size_ > 0);
  if (!front_.empty()) {
    const BlockId block = front_.back();
    front_.pop_back();
    --size_;
    return block;
  }
  if (first_fresh_ < blocks_) {
    links_.emplace_back();
    --size_;
    return first_fresh_++;
  }
  const BlockId head = links_[0].next;
  remove(head);
  return head;
}

void FreeQueue::append(BlockId block) {
  const BlockId tail = links_[0].previous;
  links_[tail].next = block;
  links_[block] = {.previous = tail, .next = 0};
  links_[0].previous = block;
  ++size_;
}

void FreeQueue::prepend(BlockId block) {
  front_.push_back(block);
  ++size_;
}

void FreeQueue::remove(BlockId block) {
  const Links links = links_[block];
  links_[links.previous].next = links.next;
  links_[links.next].previous = links.previous;
  --size_;
}

std::vector<BlockId> FreeQueue::order() const {
  std::vector<BlockId> all(front_.rbegin(), front_.rend());
  for (BlockId block = first_fresh_; block < blocks_; ++block) all.push_back(block);
  for (BlockId block = links_[0].next; block != 0; block = links_[block].next) all.push_back(block);
  return all;
}

}  // namespace berth::engine
