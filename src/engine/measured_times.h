// A text of measured times, for step_fit.h. One a line, four fields with commas between them:
//
//   prompt,TOKENS,CACHED,SECONDS        time to the first token of a prompt, alone on the server,
//                                       the first CACHED tokens of it in the cache
//   decode,SEQUENCES,CONTEXT,SECONDS    time between two tokens, with that many sequences running
//                                       behind CONTEXT tokens each
//
// Empty lines and lines that begin with # are left out; blanks around a field do not matter.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/step_fit.h"

namespace berth::engine {

// Prompts in steps of `budget` tokens. Errors (kConfig) name `file` and the line.
Result<std::vector<MeasuredSpan>> parse_measured_times(std::string_view text, std::string_view file,
                                                       std::uint32_t budget);

// "base,prefill_token,decode_seq,decode_context_token,attention" in seconds, as --step-time takes
// it.
Result<StepTime> parse_step_time(std::string_view text);
std::string format_step_time(const StepTime& time);

}  // namespace berth::engine
