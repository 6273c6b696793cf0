#include "engine/sequence.h"

#include <utility>

namespace berth::engine {

Sequence::Sequence(EngineRequest request_in, std::uint32_t block_size)
    : request(std::move(request_in)),
      prompt_hashes(hash_full_blocks(request.prompt, block_size, request.salt)),
      last_hash_(root_hash(request.salt)) {}

std::uint64_t Sequence::total_blocks(std::uint32_t block_size) const {
  return (prompt_tokens() + request.output_tokens + block_size - 1) / block_size;
}

void Sequence::publish_blocks(BlockCache& cache, std::uint64_t tokens, std::uint32_t block_size) {
  std::vector<Token> block;
  while ((published_blocks + 1) * block_size <= tokens) {
    if (published_blocks < prompt_hashes.size()) {
      last_hash_ = prompt_hashes[published_blocks];
    } else {
      if (!block_tokens(published_blocks, block_size, block)) return;
      // The first block of output continues from the last full block of the prompt, which may be a
      // hit.
      if (published_blocks > 0 && published_blocks == prompt_hashes.size()) {
        last_hash_ = prompt_hashes.back();
      }
      last_hash_ = hash_block(last_hash_, block);
    }
    cache.publish(lease, last_hash_);
    ++published_blocks;
  }
}

bool Sequence::block_tokens(std::uint64_t block, std::uint32_t block_size,
                            std::vector<Token>& out) const {
  out.clear();
  for (std::uint64_t at = block * block_size; at < (block + 1) * block_size; ++at) {
    if (at < request.prompt.size()) {
      out.push_back(request.prompt[at]);
    } else if (at - request.prompt.size() < request.output.size()) {
      out.push_back(request.output[at - request.prompt.size()]);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace berth::engine
