// One request on a rank: what it still has to compute and what it holds of the cache.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "engine/block_cache.h"
#include "engine/server_model.h"

namespace berth::engine {

struct Sequence {
  explicit Sequence(EngineRequest request_in) : request(std::move(request_in)) {}

  std::uint64_t prompt_tokens() const { return request.prompt_tokens; }
  bool prompt_done() const { return computed == prompt_tokens(); }
  bool finished() const { return prompt_done() && produced >= request.output_tokens; }
  // Tokens whose KV the next step reads.
  std::uint64_t context() const { return computed + produced; }
  // Blocks for the whole life of the request.
  std::uint64_t total_blocks(std::uint32_t block_size) const;
  // Publishes every block that is full with the first `tokens` tokens of prompt and output.
  void publish_blocks(BlockCache& cache, std::uint64_t tokens, std::uint32_t block_size);

  EngineRequest request;
  std::uint64_t cached = 0;    // prompt tokens found in the cache
  std::uint64_t computed = 0;  // prompt tokens whose KV exists, the cached ones included
  std::uint32_t produced = 0;  // output tokens
  Instant scheduled_at{};
  BlockLease lease;
  std::uint64_t published_blocks = 0;  // hits and published ones, from the first on
  // This step's share.
  std::uint64_t chunk = 0;  // prompt tokens
  bool decodes = false;

  // The hashes known of it.
  std::span<const BlockHash> hashes() const;
};

}  // namespace berth::engine
