// How long one scheduler step takes.
//
//   t = base + prefill_token * (prompt tokens computed) + decode_seq * (sequences decoding)
//     + decode_context_token * (tokens their attention reads)
//     + attention * sum over prompt chunks of chunk * (tokens before the chunk + chunk / 2)
//
// A token of a prompt attends to all tokens before it: to those before its chunk and, on average,
// to half of the chunk itself, which is the last sum. step_fit.h finds the constants from measured
// points; presets.h holds three sets.
#pragma once

#include <cstdint>

namespace berth::engine {

// What one step computes.
struct StepLoad {
  std::uint64_t prefill_tokens = 0;
  std::uint64_t decode_seqs = 0;
  std::uint64_t decode_context = 0;  // tokens
  double attention = 0;              // sum of chunk * (before + chunk / 2)

  // A chunk of `tokens` behind `before` tokens whose KV exists.
  void add_chunk(std::uint64_t before, std::uint64_t tokens) {
    prefill_tokens += tokens;
    attention += static_cast<double>(tokens) *
                 (static_cast<double>(before) + static_cast<double>(tokens) / 2);
  }
  // One token behind `before` tokens.
  void add_decode(std::uint64_t before) {
    ++decode_seqs;
    decode_context += before;
  }
};

// Seconds.
struct StepTime {
  double base = 0.0235;
  double prefill_token = 0.00022;
  double decode_seq = 0.0003;
  double decode_context_token = 0.39e-6;
  double attention = 12e-9;

  double prefill_seconds(const StepLoad& load) const {
    return prefill_token * static_cast<double>(load.prefill_tokens) + attention * load.attention;
  }
  double decode_seconds(const StepLoad& load) const {
    return decode_seq * static_cast<double>(load.decode_seqs) +
           decode_context_token * static_cast<double>(load.decode_context);
  }
  double seconds(const StepLoad& load) const {
    return base + prefill_seconds(load) + decode_seconds(load);
  }
};

}  // namespace berth::engine
