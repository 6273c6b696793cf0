#include "engine/prefix_cache.h"

#include <utility>

#include "base/check.h"

namespace berth::engine {

PrefixCache::PrefixCache(const ServerSpec& spec, std::shared_ptr<KvOracle> oracle)
    : block_size_(spec.block_size),
      reserve_full_input_(spec.reserve_full_input),
      watermark_blocks_(
          static_cast<std::uint32_t>(spec.watermark * static_cast<double>(gpu_blocks(spec)))),
      pool_(static_cast<BlockId>(gpu_blocks(spec)), spec.unhashed_first),
      oracle_(std::move(oracle)) {}

std::span<const BlockHash> PrefixCache::hittable(const Sequence& sequence) const {
  const std::span<const BlockHash> all = sequence.hashes();
  const std::size_t most = (sequence.known_tokens() - 1) / block_size_;
  return all.first(std::min(most, all.size()));
}

const PrefixMatch& PrefixCache::match(const Sequence& sequence) {
  if (kept_for_ == &sequence && kept_tokens_ == sequence.known_tokens() && pool_.watch().holds()) {
    return match_;
  }
  kept_for_ = nullptr;
  BERTH_CHECK(sequence.blocks.empty());
  const std::span<const BlockHash> hashes = hittable(sequence);
  match_.blocks.clear();
  match_.unheld = 0;
  for (const BlockHash hash : hashes) {
    const BlockId block = pool_.find(hash);
    if (block == kNoBlock) break;
    match_.blocks.push_back(block);
    if (pool_.is_free(block)) ++match_.unheld;
  }
  std::size_t there = match_.blocks.size();
  if (oracle_) {
    while (there < hashes.size() && oracle_->contains(hashes[there])) ++there;
  }
  match_.tokens = static_cast<std::uint32_t>(there) * block_size_;
  return match_;
}

void PrefixCache::keep_match(const Sequence& sequence) {
  if (oracle_) return;  // it learns without this cache's knowledge
  if (kept_for_ == &sequence && pool_.watch().holds()) return;
  const std::span<const BlockHash> hashes = hittable(sequence);
  const std::size_t found = match_.blocks.size();
  pool_.watch().set(match_.blocks,
                    found < hashes.size() ? std::optional(hashes[found]) : std::nullopt);
  kept_for_ = &sequence;
  kept_tokens_ = sequence.known_tokens();
}

bool PrefixCache::admits(const Sequence& sequence, const PrefixMatch& match, std::uint32_t tokens,
                         bool others_run) const {
  const auto hits = static_cast<std::uint32_t>(match.blocks.size());
  const std::uint64_t extra = match.unheld + (others_run ? std::uint64_t{watermark_blocks_} : 0);
  const auto fits = [&](std::uint32_t total) {
    return blocks_for(total) - hits + extra <= pool_.free_blocks();
  };
  if (reserve_full_input_ && !fits(sequence.known_tokens())) return false;
  return fits(match.tokens + tokens);
}

void PrefixCache::adopt(Sequence& sequence, const PrefixMatch& match) {
  for (const BlockId block : match.blocks) pool_.touch(block);
  sequence.blocks.assign(match.blocks.begin(), match.blocks.end());
  sequence.published = static_cast<std::uint32_t>(match.blocks.size());
  sequence.computed = match.tokens;
}

bool PrefixCache::extend(Sequence& sequence, std::uint32_t tokens) {
  const std::uint32_t wanted = blocks_for(tokens);
  const auto held = static_cast<std::uint32_t>(sequence.blocks.size());
  if (wanted <= held) return true;
  if (wanted - held > pool_.free_blocks()) return false;
  for (std::uint32_t i = held; i < wanted; ++i) sequence.blocks.push_back(pool_.take());
  return true;
}

void PrefixCache::publish(Sequence& sequence, std::uint32_t tokens) {
  const std::span<const BlockHash> all = sequence.hashes();
  const auto full =
      static_cast<std::uint32_t>(std::min<std::size_t>(tokens / block_size_, all.size()));
  for (; sequence.published < full; ++sequence.published) {
    pool_.publish(sequence.blocks[sequence.published], all[sequence.published]);
    if (oracle_) oracle_->add(all[sequence.published]);
  }
}

void PrefixCache::release(Sequence& sequence) {
  if (kept_for_ == &sequence) kept_for_ = nullptr;
  pool_.release(sequence.blocks);
  sequence.blocks.clear();
}

}  // namespace berth::engine
