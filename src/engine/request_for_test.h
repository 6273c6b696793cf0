// For tests: requests whose content is named by streams.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/server_model.h"

namespace berth::engine {

// Hashes for `tokens` tokens of that stream, each block of `block_size`.
inline std::vector<BlockHash> stream_hashes(std::uint64_t stream, std::uint32_t tokens,
                                            std::uint32_t block_size) {
  std::vector<BlockHash> hashes;
  for (std::uint32_t i = 0; i < tokens / block_size; ++i) hashes.push_back(stream_block(stream, i));
  return hashes;
}

// Prompt and output are the first tokens of that stream.
inline EngineRequest stream_request(RequestId id, std::uint64_t stream, std::uint32_t prompt,
                                    std::uint32_t output, std::uint32_t block_size) {
  EngineRequest request;
  request.id = id;
  request.prompt_tokens = prompt;
  request.output_tokens = output;
  request.blocks = std::make_shared<const std::vector<BlockHash>>(
      stream_hashes(stream, prompt + output, block_size));
  request.every_token = true;
  return request;
}

}  // namespace berth::engine
