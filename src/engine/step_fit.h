// Finds the constants of StepTime from a few measured times of a real machine.
//
// What to measure, on an otherwise idle server (docs/engine.md shows how):
//   - the time to the first token of prompts of several lengths, none of it in the cache or a known
//     part: prompt_span();
//   - the time between tokens with several numbers of sequences and several lengths of context:
//     decode_span().
// Five constants need at least five times that differ in kind: short and long prompts, one and many
// sequences, short and long contexts.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/step_time.h"

namespace berth::engine {

// `steps` steps, which together computed `load`, took `seconds`.
struct MeasuredSpan {
  std::uint32_t steps = 1;
  StepLoad load;
  double seconds = 0;
};

// A prompt of `tokens`, the first `cached` of them in the cache, alone, in steps of `budget`
// tokens (max_num_batched_tokens). `cached` < `tokens`.
MeasuredSpan prompt_span(std::uint32_t tokens, std::uint32_t cached, std::uint32_t budget,
                         double seconds);
// One step that decodes that many sequences, each behind `context` tokens.
MeasuredSpan decode_span(std::uint32_t sequences, std::uint32_t context, double seconds);

// The constants, none below 0, with the least sum of squared relative errors. Relative, so that a
// decode of 30 ms counts as much as a prompt of 8 s.
//
// Errors (kConfig): a time that is not above 0; a constant that no span tells, or that none tells
// from the others. They name the constant and what to measure.
Result<StepTime> fit_step_time(std::span<const MeasuredSpan> spans);

// What the constants give for a span, in seconds.
double predicted_seconds(const StepTime& time, const MeasuredSpan& span);

}  // namespace berth::engine
