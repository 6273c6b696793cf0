#include "engine/presets.h"

namespace berth::engine {
namespace {

// RTX A4000 16 GB, Qwen3-4B-Instruct-2507 in bf16, vLLM 0.26: the step time and the cache were
// fitted to a published load test of four such cards (240 sessions/h, 6,744 output tokens/min at 4
// sessions with affinity). 7.3k new tokens behind 3.5k cached ones take 2.4 s, a token alone 24 to
// 29 ms.
ServerSpec a4000() {
  ServerSpec spec;
  spec.kv_tokens = 36'000;
  spec.max_num_seqs = 32;
  spec.max_num_batched_tokens = 2'048;
  spec.step = {.base = 0.0235,
               .prefill_token = 0.00022,
               .decode_seq = 0.0003,
               .decode_context_token = 0.39e-6,
               .attention = 12e-9};
  return spec;
}

// H100 80 GB, a 30B mixture of experts with 3B active. A cold prompt of 100k tokens takes 8.0 s; a
// decode step of seven sequences of 90k tokens 37 ms. Budget and sequence limit as vLLM sets them
// for large cards.
ServerSpec h100() {
  ServerSpec spec;
  spec.kv_tokens = 600'000;
  spec.max_num_seqs = 256;
  spec.max_num_batched_tokens = 8'192;
  spec.step = {.base = 0.012,
               .prefill_token = 35e-6,
               .decode_seq = 50e-6,
               .decode_context_token = 40e-9,
               .attention = 0.87e-9};
  return spec;
}

// RTX 5090 32 GB, a dense 27B model: 150k tokens of cache, 30 ms a step, 0.35 ms a prompt token.
ServerSpec rtx5090() {
  ServerSpec spec;
  spec.kv_tokens = 150'000;
  spec.max_num_seqs = 32;
  spec.max_num_batched_tokens = 2'048;
  spec.step = {.base = 0.030,
               .prefill_token = 0.00035,
               .decode_seq = 0.0003,
               .decode_context_token = 70e-9,
               .attention = 6e-9};
  return spec;
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      {"a4000-qwen3-4b", "Qwen/Qwen3-4B-Instruct-2507",
       "RTX A4000 16 GB, 4B model, 36k tokens of KV", a4000()},
      {"h100-30b-a3b", "Qwen/Qwen3-30B-A3B-Instruct-2507",
       "H100 80 GB, 30B-A3B model, 600k tokens of KV", h100()},
      {"rtx5090-27b", "local/27b", "RTX 5090 32 GB, 27B model, 150k tokens of KV", rtx5090()},
  };
  return all;
}

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

}  // namespace berth::engine
