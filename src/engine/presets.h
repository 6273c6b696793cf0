// Machines, by name: what one rank holds and how long its steps take. docs/engine.md repeats the
// numbers.
//
// Block size 16 and the scheduler's options are vLLM's defaults for all three (server_spec.h).
// Prompts of P tokens are computed in ceil(P / budget) steps, so without a cached part they take
//   ceil(P / budget) * base + P * prefill_token + attention * P * P / 2
// (the sum of chunk * (before + chunk / 2) is P * P / 2, however P is cut).
//
// a4000-qwen3-4b: RTX A4000 16 GB, Qwen3-4B-Instruct-2507 in bf16, vLLM 0.26, as in the published
// load test of four such cards (October 2026). Step time and cache are fitted to its table of 4 to
// 24 sessions, not measured on a card: 23.5 ms a step, 0.22 ms a prompt token, 0.3 ms a sequence,
// 0.39 us a token of context, 12 ns a pair. The cache of 36,000 tokens is what
// such a card can have: 5.3 GB at 147,456 bytes a token (36 layers, 8 KV heads of 128, two bytes, K
// and V), of 16 GB at 0.92 less 8 GB of weights and some 1.4 GB of activations and graphs.
// max_num_seqs 32 is the test's own setting, 2,048 tokens a step vLLM's default below 70 GiB.
//   A first turn, 7,300 new tokens behind 3,520 cached ones, four steps:
//     4 * 0.0235 + 7,300 * 0.00022 + 12e-9 * 7,300 * (3,520 + 3,650) = 0.094 + 1.606 + 0.628 = 2.33
//     s
//   A token alone behind 10,820: 0.0235 + 0.0003 + 10,820 * 0.39e-6 = 28.0 ms
//
// h100-30b-a3b: H100 80 GB, a 30B mixture of experts with 3B active. Constants chosen for the
// project's simulation study of recorded sessions, not measured: 12 ms, 35 us, 50 us, 40 ns, 0.87
// ns, 600,000 tokens of cache, 8,192 tokens a step (vLLM's default from 70 GiB on), 256 sequences.
//   A cold prompt of 100,000 tokens, 13 steps:
//     13 * 0.012 + 100,000 * 35e-6 + 0.87e-9 * 5e9 = 0.156 + 3.5 + 4.35 = 8.0 s
//   A decode of 7 sequences of 90,000: 0.012 + 7 * 50e-6 + 630,000 * 40e-9 = 37.6 ms
//
// rtx5090-27b: RTX 5090 32 GB with a dense 27B model, for the story of seven such cards with
// conversations of 43,000 to 75,000 tokens. Constants chosen for the same study, not measured: 30
// ms, 0.35 ms, 0.3 ms, 70 ns, 6 ns, 150,000 tokens of cache.
//   A cold prompt of 43,500 tokens, 22 steps:
//     22 * 0.030 + 43,500 * 0.00035 + 6e-9 * 9.46e8 = 0.66 + 15.2 + 5.7 = 21.6 s
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/server_model.h"

namespace berth::engine {

struct Preset {
  std::string_view name;
  std::string_view model;  // the served name when none is given
  std::string_view what;   // one line for --help
  ServerSpec spec;
};

// "a4000-qwen3-4b" (the default), "h100-30b-a3b", "rtx5090-27b".
const std::vector<Preset>& presets();
const Preset* find_preset(std::string_view name);

}  // namespace berth::engine
