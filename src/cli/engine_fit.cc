#include "cli/engine_fit.h"

#include <fmt/format.h>

#include "engine/measured_times.h"
#include "sim/file_text.h"

namespace berth::cli {
namespace {

constexpr int kBadUsage = 2;

int refuse(const Error& error) {
  fmt::print(stderr, "berth engine: {}\n", error.message);
  return kBadUsage;
}

std::string what_was_measured(const engine::MeasuredSpan& span) {
  if (span.load.decode_seqs > 0) {
    return fmt::format("decode of {} behind {} tokens", span.load.decode_seqs,
                       span.load.decode_context / span.load.decode_seqs);
  }
  return fmt::format("prompt, {} tokens computed in {} steps", span.load.prefill_tokens,
                     span.steps);
}

}  // namespace

int print_step_fit(const std::string& file, const engine::ServerSpec& spec) {
  const auto text = sim::read_file(file);
  if (!text) return refuse(text.error());
  const auto spans = engine::parse_measured_times(*text, file, spec.max_num_batched_tokens);
  if (!spans) return refuse(spans.error());
  const auto time = engine::fit_step_time(*spans);
  if (!time) return refuse({time.error().code, file + ": " + time.error().message});
  fmt::print("--step-time {}\n\n{:>10} {:>10} {:>8}\n", engine::format_step_time(*time),
             "measured s", "fitted s", "error");
  for (const engine::MeasuredSpan& span : *spans) {
    const double fitted = engine::predicted_seconds(*time, span);
    fmt::print("{:>10.4f} {:>10.4f} {:>+7.1f}%  {}\n", span.seconds, fitted,
               100 * (fitted / span.seconds - 1), what_was_measured(span));
  }
  return 0;
}

}  // namespace berth::cli
