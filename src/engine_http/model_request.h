// A request as the model takes it: counts and block hashes instead of tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/server_model.h"

namespace berth::engine_http {

// Hashes the full blocks of prompt followed by output. `salt` (cache_salt, 0: none) separates
// caches from the first block on. An event comes for every token.
engine::EngineRequest model_request(std::vector<engine::Token> prompt,
                                    std::span<const engine::Token> output, std::uint64_t salt,
                                    std::uint32_t block_size);

}  // namespace berth::engine_http
