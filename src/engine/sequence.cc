#include "engine/sequence.h"

namespace berth::engine {

std::uint64_t Sequence::total_blocks(std::uint32_t block_size) const {
  return (prompt_tokens() + request.output_tokens + block_size - 1) / block_size;
}

std::span<const BlockHash> Sequence::hashes() const {
  return request.blocks ? std::span<const BlockHash>(*request.blocks)
                        : std::span<const BlockHash>();
}

void Sequence::publish_blocks(BlockCache& cache, std::uint64_t tokens, std::uint32_t block_size) {
  const std::span<const BlockHash> known = hashes();
  while (published_blocks < known.size() && (published_blocks + 1) * block_size <= tokens) {
    cache.publish(lease, known[published_blocks]);
    ++published_blocks;
  }
}

}  // namespace berth::engine
