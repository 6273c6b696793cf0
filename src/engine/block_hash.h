// Chained block hashes: the identity of a cached KV block is the hash of its tokens and of all
// blocks before it. Callers of the engine make them; the engine compares them and never sees a
// token.
//
// Source: vllm/v1/core/kv_cache_utils.py (hash_block_tokens): hash_i = H(hash_{i-1}, tokens of
// block i), the cache salt entering the first block only. vLLM uses SHA-256; 64 mixed bits serve a
// simulation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace berth::engine {

using Token = std::uint32_t;
using BlockHash = std::uint64_t;
// The hashes of a request's blocks, from the first on: 8 bytes a block, so 50 KB for 100,000
// tokens in blocks of 16. Shared, so that a growing conversation and the request that is under way
// hold one copy. Whoever owns the vector may append to it only while nobody else holds it
// (use_count() == 1), and copies it otherwise.
using BlockHashes = std::shared_ptr<const std::vector<BlockHash>>;

// From tokens. What stands before block 0.
BlockHash root_hash(std::uint64_t salt);
BlockHash hash_block(BlockHash parent, std::span<const Token> tokens);
// Of every full block of `tokens`.
std::vector<BlockHash> hash_full_blocks(std::span<const Token> tokens, std::uint32_t block_size,
                                        std::uint64_t salt);

// Without tokens: block `index` of a stream of content that only the stream's number names. Two
// histories share a prefix by having the same streams at the same indices, as in
// system prompt 0..217 of stream 1, the rest of stream 77. An index is a place in the history, so
// one stream never gives the same hash twice.
BlockHash stream_block(std::uint64_t stream, std::uint64_t index);

}  // namespace berth::engine
