// The cache against a slow model of it that is written from vLLM's rules alone: which blocks a
// request gets, what is found, and the order of the free queue must be equal after every
// operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "engine/prefix_cache.h"
#include "engine/request_for_test.h"

namespace berth::engine {
namespace {

using Blocks = std::vector<BlockId>;

// block_pool.py and kv_cache_manager.py with lists and no thought of speed.
class SlowCache {
 public:
  explicit SlowCache(const ServerSpec& spec) : spec_(spec) {
    for (BlockId block = 1; block < gpu_blocks(spec); ++block) free_.push_back(block);
  }

  Blocks find(const std::vector<BlockHash>& hashes, std::uint32_t tokens) const {
    Blocks found;
    for (std::size_t i = 0; i < hashes.size() && (i + 1) * spec_.block_size < tokens; ++i) {
      const auto there = cached_.find(hashes[i]);
      if (there == cached_.end()) break;
      found.push_back(there->second.front());
    }
    return found;
  }
  void touch(const Blocks& blocks) {
    for (const BlockId block : blocks) {
      if (holders_[block]++ == 0) free_.erase(std::find(free_.begin(), free_.end(), block));
    }
  }
  BlockId take() {
    const BlockId block = free_.front();
    free_.erase(free_.begin());
    if (const auto hash = hash_.find(block); hash != hash_.end()) {
      Blocks& list = cached_[hash->second];
      list.erase(std::find(list.begin(), list.end(), block));
      if (list.empty()) cached_.erase(hash->second);
      hash_.erase(hash);
    }
    holders_[block] = 1;
    return block;
  }
  void publish(BlockId block, BlockHash hash) {
    hash_[block] = hash;
    cached_[hash].push_back(block);
  }
  void release(Blocks blocks) {
    std::reverse(blocks.begin(), blocks.end());
    Blocks unhashed, hashed;
    for (const BlockId block : blocks) {
      if (--holders_[block] > 0) continue;
      (spec_.unhashed_first && !hash_.contains(block) ? unhashed : hashed).push_back(block);
    }
    free_.insert(free_.begin(), unhashed.begin(), unhashed.end());
    free_.insert(free_.end(), hashed.begin(), hashed.end());
  }
  const Blocks& free() const { return free_; }
  bool is_free(BlockId block) { return holders_[block] == 0; }

 private:
  ServerSpec spec_;
  Blocks free_;
  std::map<BlockId, std::uint32_t> holders_;
  std::map<BlockId, BlockHash> hash_;
  std::map<BlockHash, Blocks> cached_;
};

// Both caches under the same random operations.
class Pair {
 public:
  Pair(const ServerSpec& spec, std::mt19937_64& random)
      : spec_(spec), random_(random), fast_(spec, nullptr), slow_(spec) {}

  void step() {
    const std::uint64_t what = random_() % 4;
    if (what == 0 || live_.empty()) {
      admit();
    } else if (what == 1) {
      const auto victim =
          std::next(live_.begin(), static_cast<std::ptrdiff_t>(random_() % live_.size()));
      slow_.release(victim->blocks);
      fast_.release(*victim);
      live_.erase(victim);
    } else {
      grow(live_[random_() % live_.size()]);
    }
    ASSERT_EQ(fast_.pool().queue().order(), slow_.free());
    check_kept_match();
  }

 private:
  void admit() {
    Sequence sequence;
    const auto prompt = 1 + static_cast<std::uint32_t>(random_() % 60);
    sequence.request = stream_request(1, random_() % 5, prompt, 20, spec_.block_size);
    const PrefixMatch match = fast_.match(sequence);
    const Blocks found = slow_.find(*sequence.request.blocks, prompt);
    ASSERT_EQ(match.blocks, found);
    ASSERT_EQ(match.unheld, std::count_if(found.begin(), found.end(),
                                          [&](BlockId block) { return slow_.is_free(block); }));
    const std::uint32_t chunk = 1 + static_cast<std::uint32_t>(random_() % (prompt - match.tokens));
    if (!fast_.admits(sequence, match, chunk, true)) return;
    fast_.adopt(sequence, match);
    slow_.touch(found);
    live_.push_back(std::move(sequence));
    extend(live_.back(), live_.back().computed + chunk);
  }

  void grow(Sequence& sequence) {
    const std::uint32_t all = sequence.request.prompt_tokens + 20;
    if (sequence.computed == all) return;
    const auto more = 1 + static_cast<std::uint32_t>(random_() % 7);
    extend(sequence, std::min(all, sequence.computed + more));
  }

  void extend(Sequence& sequence, std::uint32_t tokens) {
    Blocks expected = sequence.blocks;
    const std::size_t wanted = (tokens + spec_.block_size - 1) / spec_.block_size;
    if (wanted - expected.size() > slow_.free().size()) {
      ASSERT_FALSE(fast_.extend(sequence, tokens));
      ASSERT_EQ(sequence.blocks, expected);
      return;
    }
    while (expected.size() < wanted) expected.push_back(slow_.take());
    ASSERT_TRUE(fast_.extend(sequence, tokens));
    ASSERT_EQ(sequence.blocks, expected);
    sequence.computed = tokens;
    for (std::uint32_t i = sequence.published; i < tokens / spec_.block_size; ++i) {
      slow_.publish(expected[i], (*sequence.request.blocks)[i]);
    }
    fast_.publish(sequence, tokens);
  }

  // A lookup that is kept over many operations must be the one that a new lookup gives.
  void check_kept_match() {
    if (random_() % 10 == 0 || !head_.request.blocks) {
      fast_.release(head_);
      head_.request = stream_request(2, random_() % 5, 60, 1, spec_.block_size);
    }
    const PrefixMatch& match = fast_.match(head_);
    const Blocks found = slow_.find(*head_.request.blocks, 60);
    ASSERT_EQ(match.blocks, found);
    ASSERT_EQ(match.unheld, std::count_if(found.begin(), found.end(),
                                          [&](BlockId block) { return slow_.is_free(block); }));
    fast_.keep_match(head_);
  }

  ServerSpec spec_;
  std::mt19937_64& random_;
  PrefixCache fast_;
  SlowCache slow_;
  std::vector<Sequence> live_;
  Sequence head_;
};

TEST(PrefixCacheProperties, EqualASlowModelAfterEveryOperation) {
  std::mt19937_64 random(20'261'202);
  for (int round = 0; round < 30; ++round) {
    ServerSpec spec;
    spec.block_size = 1 + static_cast<std::uint32_t>(random() % 6);
    spec.kv_tokens = (8 + random() % 60) * spec.block_size;
    spec.reserve_full_input = random() % 2 == 0;
    spec.unhashed_first = random() % 2 == 0;
    SCOPED_TRACE("round " + std::to_string(round));
    Pair pair(spec, random);
    for (int i = 0; i < 1'000 && !HasFatalFailure(); ++i) pair.step();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace berth::engine
