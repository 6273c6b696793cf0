// Chained block hashes: the identity of a cached KV block is the hash of its tokens and of all
// blocks before it.
//
// Source: vllm/v1/core/kv_cache_utils.py (hash_block_tokens): hash_i = H(hash_{i-1}, tokens of
// block i), the cache salt entering the first block only. vLLM uses SHA-256; 64 mixed bits serve a
// simulation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/server_model.h"

namespace berth::engine {

using BlockHash = std::uint64_t;

// What stands before block 0.
BlockHash root_hash(std::uint64_t salt);
BlockHash hash_block(BlockHash parent, std::span<const Token> tokens);
// Of every full block of `tokens`.
std::vector<BlockHash> hash_full_blocks(std::span<const Token> tokens, std::uint32_t block_size,
                                        std::uint64_t salt);

}  // namespace berth::engine
