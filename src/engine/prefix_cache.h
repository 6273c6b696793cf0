// The cache of one rank as its scheduler uses it: what of a request is there, whether the rest
// fits, and taking it.
//
// Source: vllm/v1/core/kv_cache_manager.py (get_computed_blocks, allocate_slots, free). Only full
// blocks have a hash; a lookup goes from block 0 to the first miss and stops short of the last
// token, which must be computed for its logits: at most floor((tokens - 1) / block_size) blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/block_pool.h"
#include "engine/kv_oracle.h"
#include "engine/sequence.h"
#include "engine/server_spec.h"

namespace berth::engine {

// What a lookup found. Valid until the pool changes.
struct PrefixMatch {
  std::vector<BlockId> blocks;
  std::uint32_t unheld = 0;  // of them lie in the free queue: taking them takes room
  std::uint32_t tokens = 0;  // need no computing: of the blocks, and of what the oracle brings back
};

class PrefixCache {
 public:
  // `oracle` may be null.
  PrefixCache(const ServerSpec& spec, std::shared_ptr<KvOracle> oracle);

  // For a sequence that holds nothing. The result is replaced by the next call.
  const PrefixMatch& match(const Sequence& sequence);
  // The sequence of the last match() was not admitted and will be matched again: the result is
  // kept for it while it holds.
  void keep_match(const Sequence& sequence);
  // The admission of a sequence that holds nothing, with `tokens` of it to be computed next. True
  // if all of this holds, in blocks:
  //   with reserve_full_input: ceil(known tokens / size) - hits + unheld hits + spare <= free
  //   in any case: ceil((matched tokens + tokens) / size) - hits + unheld hits + spare <= free
  // where `spare` is the watermark if `others_run`.
  bool admits(const Sequence& sequence, const PrefixMatch& match, std::uint32_t tokens,
              bool others_run) const;
  // Takes the matched blocks for a sequence that is admitted.
  void adopt(Sequence& sequence, const PrefixMatch& match);
  // Grows what the sequence holds to `tokens` tokens. False, and nothing changed, if it does not
  // fit.
  bool extend(Sequence& sequence, std::uint32_t tokens);
  // Its full blocks within the first `tokens` tokens can be hit from now on.
  void publish(Sequence& sequence, std::uint32_t tokens);
  // Gives everything back.
  void release(Sequence& sequence);

  const BlockPool& pool() const { return pool_; }

 private:
  std::uint32_t blocks_for(std::uint32_t tokens) const {
    return (tokens + block_size_ - 1) / block_size_;
  }

  // Blocks that a lookup may find.
  std::span<const BlockHash> hittable(const Sequence& sequence) const;

  std::uint32_t block_size_;
  bool reserve_full_input_;
  std::uint32_t watermark_blocks_;
  BlockPool pool_;
  std::shared_ptr<KvOracle> oracle_;
  PrefixMatch match_;
  const Sequence* kept_for_ = nullptr;
  std::uint32_t kept_tokens_ = 0;  // known tokens of it at the time
};

}  // namespace berth::engine
