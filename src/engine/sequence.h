// One request on a rank: how far it is and which blocks it holds.
//
// Owner: the rank's SequencePool; the queue, the running list and planned steps point to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "engine/block_pool.h"
#include "engine/server_model.h"

namespace berth::engine {

struct Sequence {
  enum class State : std::uint8_t { kWaiting, kRunning, kDone };

  // vLLM's num_tokens: prompt and the output that has come back.
  std::uint32_t known_tokens() const { return request.prompt_tokens + produced; }
  bool is_pooling() const { return request.output_tokens == 0; }
  std::uint32_t max_tokens() const { return std::max(request.max_tokens, request.output_tokens); }
  // The hashes its first blocks have or will have.
  std::span<const BlockHash> hashes() const {
    return request.blocks ? std::span<const BlockHash>(*request.blocks)
                          : std::span<const BlockHash>();
  }

  EngineRequest request;
  State state = State::kWaiting;
  std::vector<BlockId> blocks;  // in the order of the sequence
  std::uint32_t published = 0;  // of them, from the first on, have been looked up or published
  std::uint32_t computed = 0;   // tokens whose KV exists or is being computed by a planned step
  std::uint32_t produced = 0;   // output tokens that have come back
  std::uint32_t expected = 0;   // output tokens of planned steps: vLLM's num_output_placeholders
  std::uint32_t planned_steps = 0;  // that name it and have not ended
  std::uint32_t preemptions = 0;
  std::uint32_t furthest = 0;  // the most that `computed` ever was
  std::uint32_t recomputed = 0;
  std::uint32_t cached = 0;  // tokens found in the cache when it was first admitted
  Instant scheduled_at{};    // when that was planned
};

// Hands out sequences and takes them back, so that their memory is used again. Pointers stay valid.
class SequencePool {
 public:
  Sequence* make(EngineRequest request);
  void recycle(Sequence* sequence);

 private:
  std::deque<Sequence> all_;
  std::vector<Sequence*> unused_;
};

}  // namespace berth::engine
