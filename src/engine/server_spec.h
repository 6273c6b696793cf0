// What one simulated server is: its ranks, the cache and scheduler of each, its step time and its
// balancer. Field names are vLLM's flags where it has one.
//
// Defaults are those of vLLM 0.26 on the cards of the first preset (presets.h), but for what only
// the first preset has (kv_tokens, max_num_seqs, step).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "engine/step_time.h"

namespace berth::engine {

// vLLM's own ways to pick a rank when no rank header comes (balancer.h says what each does, with
// its source).
enum class Balancer : std::uint8_t { kOff, kOffPublished, kOffRotating, kOff2026 };
// "off", "off-published", "off-rotating", "off-2026".
std::optional<Balancer> balancer_from_name(std::string_view name);
std::string_view balancer_name(Balancer balancer);

struct ServerSpec {
  std::uint32_t ranks = 1;          // --data-parallel-size
  std::uint32_t api_processes = 0;  // --api-server-count; 0: as many as ranks, vLLM's default
  Balancer balancer = Balancer::kOff;

  // Capacity of one rank: num_gpu_blocks * block_size. One of the blocks is the null block, which
  // nothing can use (v1/core/block_pool.py). Memory is taken as blocks come into use, so a very
  // large value models a cache that never evicts.
  std::uint64_t kv_tokens = 36'000;
  std::uint32_t block_size = 16;

  // The scheduler of one rank (v1/core/sched/scheduler.py; vllm/config/scheduler.py).
  std::uint32_t max_num_seqs = 32;
  std::uint32_t max_num_batched_tokens = 2'048;  // tokens of one step, over all its sequences
  // Longest piece of one prompt in one step; 0: only the budget bounds it.
  std::uint32_t long_prefill_token_threshold = 0;
  // scheduler_reserve_full_isl (vllm-project/vllm#37307, March 2026; true since): a request is
  // admitted only if its whole input fits the free blocks. False: only its first chunk must.
  bool reserve_full_input = true;
  // Part of the blocks that an admission must leave free while others run
  // (vllm-project/vllm#44594, June 2026; 0 there).
  double watermark = 0;
  // vllm-project/vllm#42656 (from 0.24 on): freed blocks without a hash are taken again first.
  // False: all freed blocks go to the end of the free queue.
  bool unhashed_first = true;
  // Step k+1 is planned before the tokens of step k are back (vllm-project/vllm#27614, on since
  // December 2025). scheduler.h says what follows from it.
  bool async_scheduling = true;

  StepTime step;
  std::uint64_t seed = 1;  // which API process takes a connection that names none
};

// The first thing wrong with a spec (kConfig, naming the field), or nothing.
Result<void> check_spec(const ServerSpec& spec);

// Blocks of one rank, the null block among them: what vLLM calls num_gpu_blocks.
std::uint64_t gpu_blocks(const ServerSpec& spec);
// Tokens that prompt and output of one request may have together: what fits one rank's usable
// blocks. At least 1 for a spec that passes check_spec.
std::uint64_t max_request_tokens(const ServerSpec& spec);

}  // namespace berth::engine
