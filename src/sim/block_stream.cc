#include "sim/block_stream.h"

#include <algorithm>
#include <cstddef>

#include "sim/random.h"

namespace berth::sim {
namespace {

// What stands before the first block.
constexpr std::uint64_t kRoot = 0x6265727468ULL;

std::uint64_t chain(std::uint64_t before, std::uint64_t content, std::uint64_t position) {
  return mix(before ^ mix(content ^ mix(position)));
}

void grow(std::vector<std::uint64_t>& blocks, std::size_t size, std::uint64_t content) {
  blocks.reserve(size);
  while (blocks.size() < size) {
    const std::uint64_t before = blocks.empty() ? kRoot : blocks.back();
    blocks.push_back(chain(before, content, blocks.size()));
  }
}

}  // namespace

std::vector<std::uint64_t> shared_blocks(std::uint32_t tokens, std::uint32_t block_size,
                                         std::uint64_t content) {
  std::vector<std::uint64_t> blocks;
  grow(blocks, tokens / block_size, content);
  return blocks;
}

std::vector<std::uint64_t> blocks_of_ids(const std::vector<std::uint64_t>& ids,
                                         std::uint32_t tokens_per_id, std::uint32_t tokens,
                                         std::uint32_t block_size, std::uint64_t own) {
  const std::size_t size = tokens / block_size;
  const std::uint64_t named =
      std::min<std::uint64_t>(ids.size() * tokens_per_id, tokens) / block_size;
  std::vector<std::uint64_t> blocks;
  blocks.reserve(size);
  while (blocks.size() < named) {
    const std::uint64_t before = blocks.empty() ? kRoot : blocks.back();
    const std::uint64_t id = ids[blocks.size() * block_size / tokens_per_id];
    blocks.push_back(chain(before, id, blocks.size()));
  }
  grow(blocks, size, mix(own));
  return blocks;
}

BlockStream::BlockStream(std::uint64_t content, std::uint32_t block_size,
                         const std::vector<std::uint64_t>& beginning)
    : content_(mix(content)),
      block_size_(block_size),
      tokens_(beginning.size() * block_size),
      blocks_(std::make_shared<std::vector<std::uint64_t>>(beginning)) {}

BlockList BlockStream::next(std::uint32_t kept_tokens, std::uint32_t tokens) {
  if (blocks_.use_count() > 1) {
    blocks_ = std::make_shared<std::vector<std::uint64_t>>(*blocks_);
  }
  if (kept_tokens < tokens_) {
    blocks_->resize(std::min<std::size_t>(blocks_->size(), kept_tokens / block_size_));
    ++rewrites_;
  }
  blocks_->resize(std::min<std::size_t>(blocks_->size(), tokens / block_size_));
  grow(*blocks_, tokens / block_size_, content_ + rewrites_);
  tokens_ = tokens;
  return blocks_;
}

}  // namespace berth::sim
