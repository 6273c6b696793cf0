#include "engine/block_hash.h"

namespace berth::engine {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

BlockHash root_hash(std::uint64_t salt) { return mix(salt); }

BlockHash hash_block(BlockHash parent, std::span<const Token> tokens) {
  BlockHash hash = parent;
  for (const Token token : tokens) hash = mix(hash ^ token);
  return hash;
}

std::vector<BlockHash> hash_full_blocks(std::span<const Token> tokens, std::uint32_t block_size,
                                        std::uint64_t salt) {
  std::vector<BlockHash> hashes;
  hashes.reserve(tokens.size() / block_size);
  BlockHash parent = root_hash(salt);
  for (std::size_t at = 0; at + block_size <= tokens.size(); at += block_size) {
    parent = hash_block(parent, tokens.subspan(at, block_size));
    hashes.push_back(parent);
  }
  return hashes;
}

BlockHash stream_block(std::uint64_t stream, std::uint64_t index) {
  return mix(mix(stream) ^ (index + 1));
}

}  // namespace berth::engine
