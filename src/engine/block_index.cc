#include "engine/block_index.h"

#include "base/check.h"

namespace berth::engine {
namespace {

constexpr std::size_t kFirstSlots = 64;

std::uint32_t tag_of(BlockHash hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

BlockIndex::BlockIndex() : slots_(kFirstSlots) {}

std::size_t BlockIndex::slot_of(BlockHash hash) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t tag = tag_of(hash);
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.first == kNoBlock) return at;
    if (slot.tag == tag && nodes_[slot.first].hash == hash) return at;
  }
}

BlockId BlockIndex::find(BlockHash hash) const { return slots_[slot_of(hash)].first; }

void BlockIndex::add(BlockId block, BlockHash hash) {
  if (block >= nodes_.size()) nodes_.resize(block + 1);
  Node& node = nodes_[block];
  BERTH_CHECK(!node.held);
  node = {.hash = hash, .next = kNoBlock, .held = 1, .last = block};
  ++held_;
  Slot& slot = slots_[slot_of(hash)];
  if (slot.first != kNoBlock) {
    Node& first = nodes_[slot.first];
    nodes_[first.last].next = block;
    first.last = block;
    return;
  }
  slot = {.tag = tag_of(hash), .first = block};
  ++distinct_;
  if (std::size_t{distinct_} * 2 > slots_.size()) grow();
}

void BlockIndex::remove(BlockId block) {
  Node& node = nodes_[block];
  BERTH_CHECK(node.held);
  const std::size_t slot = slot_of(node.hash);
  const BlockId first = slots_[slot].first;
  if (first == block) {
    replace_first(slot);
  } else {
    BlockId before = first;
    while (nodes_[before].next != block) before = nodes_[before].next;
    nodes_[before].next = node.next;
    if (nodes_[first].last == block) nodes_[first].last = before;
  }
  node = {};
  --held_;
}

void BlockIndex::replace_first(std::size_t slot) {
  const Node& gone = nodes_[slots_[slot].first];
  if (gone.next == kNoBlock) {
    erase_slot(slot);
    --distinct_;
    return;
  }
  slots_[slot].first = gone.next;
  nodes_[gone.next].last = gone.last;
}

// Closes the gap: what was pushed past the slot by it moves back, so that a probe may stop at an
// empty slot.
void BlockIndex::erase_slot(std::size_t slot) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t gap = slot;
  for (std::size_t at = (gap + 1) & mask; slots_[at].first != kNoBlock; at = (at + 1) & mask) {
    const std::size_t wanted = nodes_[slots_[at].first].hash & mask;
    const bool reaches_gap = ((at - wanted) & mask) >= ((at - gap) & mask);
    if (!reaches_gap) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = {};
}

void BlockIndex::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.first != kNoBlock) slots_[slot_of(nodes_[slot.first].hash)] = slot;
  }
}

}  // namespace berth::engine
