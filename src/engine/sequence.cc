#include "engine/sequence.h"

#include <utility>

namespace berth::engine {

Sequence* SequencePool::make(EngineRequest request) {
  if (unused_.empty()) unused_.push_back(&all_.emplace_back());
  Sequence* const sequence = unused_.back();
  unused_.pop_back();
  sequence->request = std::move(request);
  return sequence;
}

void SequencePool::recycle(Sequence* sequence) {
  std::vector<BlockId> memory = std::move(sequence->blocks);
  memory.clear();
  *sequence = {};
  sequence->blocks = std::move(memory);
  unused_.push_back(sequence);
}

}  // namespace berth::engine
