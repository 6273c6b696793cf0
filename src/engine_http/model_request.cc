#include "engine_http/model_request.h"

namespace berth::engine_http {

engine::EngineRequest model_request(std::vector<engine::Token> prompt,
                                    std::span<const engine::Token> output, std::uint64_t salt,
                                    std::uint32_t block_size) {
  engine::EngineRequest request;
  request.prompt_tokens = static_cast<std::uint32_t>(prompt.size());
  request.output_tokens = static_cast<std::uint32_t>(output.size());
  request.every_token = true;
  prompt.insert(prompt.end(), output.begin(), output.end());
  request.blocks = std::make_shared<const std::vector<engine::BlockHash>>(
      engine::hash_full_blocks(prompt, block_size, salt));
  return request;
}

}  // namespace berth::engine_http
