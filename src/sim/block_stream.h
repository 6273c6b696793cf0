// The text of one conversation as the engine's cache sees it: the chained hashes of its full KV
// blocks, growing turn by turn. No text exists in a simulation; a block's content is the number of
// the conversation, the block's position, and how often the history has been rewritten before it.
//
// Owned by one conversation. A list that was handed out never changes: the next turn extends it in
// place only when nobody else holds it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/policy.h"

namespace berth::sim {

using MutableBlocks = std::shared_ptr<std::vector<std::uint64_t>>;

// The full blocks of a text that many conversations begin with, told apart by `content`.
std::vector<std::uint64_t> shared_blocks(std::uint32_t tokens, std::uint32_t block_size,
                                         std::uint64_t content);

// The full blocks of a text named by global ids, each standing for `tokens_per_id` tokens, and
// filled up with blocks of `own` where the ids end before `tokens` do.
std::vector<std::uint64_t> blocks_of_ids(const std::vector<std::uint64_t>& ids,
                                         std::uint32_t tokens_per_id, std::uint32_t tokens,
                                         std::uint32_t block_size, std::uint64_t own);

class BlockStream {
 public:
  // `content` is the conversation's own number; `beginning` what it starts with.
  BlockStream(std::uint64_t content, std::uint32_t block_size,
              const std::vector<std::uint64_t>& beginning);

  // The next request: its first `kept_tokens` are those of the last one (prompt and answer), the
  // rest is new, `tokens` with its answer. Keeping less than there was is a rewrite, as compaction
  // does: what follows differs from what stood there.
  BlockList next(std::uint32_t kept_tokens, std::uint32_t tokens);

 private:
  std::uint64_t content_;
  std::uint32_t block_size_;
  std::uint64_t rewrites_ = 0;
  std::uint64_t tokens_ = 0;
  MutableBlocks blocks_;
};

}  // namespace berth::sim
