#include "engine/presets.h"

namespace berth::engine {
namespace {

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
