#include "engine/server_spec.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace berth::engine {
namespace {

constexpr std::uint32_t kMostRanks = 4'096;
// What a block's number leaves room for (block_index.h).
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 31;
constexpr double kLongestTerm = 1e3;  // seconds

auto bad(std::string message) { return fail(ErrorCode::kConfig, std::move(message)); }

Result<void> check_cache(const ServerSpec& spec) {
  if (spec.block_size == 0) return bad("block-size must be at least 1");
  if (gpu_blocks(spec) < 2) {
    return bad(
        fmt::format("kv-tokens must be at least two blocks of {} tokens, one of which is "
                    "the null block, not {}",
                    spec.block_size, spec.kv_tokens));
  }
  if (gpu_blocks(spec) >= kMostBlocks) {
    return bad(fmt::format("kv-tokens must be fewer than {} blocks of {} tokens, not {} tokens",
                           kMostBlocks, spec.block_size, spec.kv_tokens));
  }
  if (!(spec.watermark >= 0 && spec.watermark < 1)) {
    return bad(fmt::format("watermark must be from 0 to below 1, not {}", spec.watermark));
  }
  return {};
}

Result<void> check_scheduler(const ServerSpec& spec) {
  if (spec.max_num_seqs == 0) return bad("max-num-seqs must be at least 1");
  // As vLLM has it (vllm/config/scheduler.py): else not even every running sequence could decode.
  if (spec.max_num_batched_tokens < spec.max_num_seqs) {
    return bad(fmt::format("max-num-batched-tokens must be at least max-num-seqs ({}), not {}",
                           spec.max_num_seqs, spec.max_num_batched_tokens));
  }
  return {};
}

Result<void> check_step(const StepTime& step) {
  const std::array<std::pair<const char*, double>, 5> terms = {
      {{"base", step.base},
       {"prefill_token", step.prefill_token},
       {"decode_seq", step.decode_seq},
       {"decode_context_token", step.decode_context_token},
       {"attention", step.attention}}};
  for (const auto& [name, seconds] : terms) {
    if (!(seconds >= 0 && seconds <= kLongestTerm)) {
      return bad(fmt::format("step time: {} must be 0 to {} seconds, not {}", name, kLongestTerm,
                             seconds));
    }
  }
  if (step.base < 1e-9) return bad("step time: base must be at least a nanosecond");
  return {};
}

}  // namespace

Result<void> check_spec(const ServerSpec& spec) {
  if (spec.ranks == 0 || spec.ranks > kMostRanks) {
    return bad(fmt::format("data-parallel-size must be 1 to {}, not {}", kMostRanks, spec.ranks));
  }
  if (spec.api_processes > kMostRanks) {
    return bad(
        fmt::format("api-server-count must be at most {}, not {}", kMostRanks, spec.api_processes));
  }
  if (auto checked = check_cache(spec); !checked) return checked;
  if (auto checked = check_scheduler(spec); !checked) return checked;
  return check_step(spec.step);
}

std::uint64_t gpu_blocks(const ServerSpec& spec) { return spec.kv_tokens / spec.block_size; }

std::uint64_t max_request_tokens(const ServerSpec& spec) {
  return (gpu_blocks(spec) - 1) * spec.block_size;
}

}  // namespace berth::engine
