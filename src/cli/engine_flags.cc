#include "cli/engine_flags.h"

#include <fmt/format.h>

#include <utility>

#include "engine/measured_times.h"
#include "engine/presets.h"

namespace berth::cli {
namespace {

using engine_http::EngineOptions;

std::string preset_help() {
  std::string text = "The machine that is simulated:";
  for (const engine::Preset& preset : engine::presets()) {
    text += fmt::format("\n{} ({})", preset.name, preset.what);
  }
  return text;
}

void add_server_flags(CLI::App& command, EngineFlags& flags) {
  command.add_option("--listen", flags.listen, "HOST:PORT to listen on; port 0 picks a free one")
      ->capture_default_str();
  command.add_option("--model", flags.models,
                     "Served name; may be repeated, the first is the one in answers and metrics");
  command.add_option("--data-parallel-size", flags.ranks, "Ranks")->capture_default_str();
  command
      .add_option("--balancer", flags.balancer,
                  "How a rank is picked when no header names one: off, off-published, "
                  "off-rotating or off-2026")
      ->capture_default_str();
  command
      .add_option("--api-server-count", flags.api_processes,
                  "API processes, each with a balancer of its own; 0: as many as ranks")
      ->capture_default_str();
  command
      .add_option("--time-scale", flags.options.time_scale,
                  "How many times faster than the real machine")
      ->capture_default_str();
  command.add_option("--seed", flags.seed, "For replies without a script")->capture_default_str();
  command.add_option("--api-key", flags.options.api_key,
                     "Ask for `Authorization: Bearer KEY` on /v1 paths, as vLLM does");
}

void add_machine_flags(CLI::App& command, EngineFlags& flags) {
  command.add_option("--preset", flags.preset, preset_help())->capture_default_str();
  command.add_option("--kv-tokens", flags.kv_tokens, "KV cache of one rank, in tokens");
  command.add_option("--block-size", flags.block_size, "Tokens of a KV block (16)");
  command
      .add_option("--max-model-len", flags.options.max_model_len,
                  "Prompt and output tokens of one request; 0: what fits one rank's cache")
      ->capture_default_str();
  command.add_option("--step-time", flags.step_time,
                     "Seconds: base,prefill_token,decode_seq,decode_context_token,attention");
  command.add_option("--fit", flags.fit,
                     "Find --step-time from this file of measured times, print it and end");
}

void add_scheduler_flags(CLI::App& command, EngineFlags& flags) {
  command.add_option("--max-num-seqs", flags.max_num_seqs, "Requests a rank runs at once");
  command.add_option("--max-num-batched-tokens", flags.max_num_batched_tokens, "Tokens of a step");
  command
      .add_option("--long-prefill-token-threshold", flags.long_prefill_token_threshold,
                  "Most tokens of one prompt in a step; 0: the budget")
      ->capture_default_str();
  command.add_flag("--async-scheduling,!--no-async-scheduling", flags.async_scheduling,
                   "Plan a step while the one before it runs (on)");
  command.add_flag("--scheduler-reserve-full-isl,!--no-scheduler-reserve-full-isl",
                   flags.reserve_full_input,
                   "Admit a request only if its whole input fits, not its first chunk (on)");
  command
      .add_option("--watermark", flags.watermark,
                  "Part of the blocks that an admission leaves free while others run")
      ->capture_default_str();
}

void add_test_flags(CLI::App& command, EngineFlags& flags) {
  command
      .add_option("--prefix-counters", flags.prefix_counters,
                  "vllm:prefix_cache_queries and hits count a request at its admission, or at "
                  "every attempt as before July 2026: admission or attempt")
      ->capture_default_str();
  command.add_flag_callback(
      "--no-prompt-tokens-details", [&flags] { flags.options.prompt_tokens_details = false; },
      "Do not tell the cached tokens (vLLM without --enable-prompt-tokens-details)");
  command.add_flag("--allow-faults", flags.options.allow_faults,
                   "Let requests ask for faults (header x-berth-fault, POST /berth/faults)");
  command.add_option("--record", flags.options.record_file,
                     "Append a JSON line with hashes and headers for every finished request; the "
                     "file holds credentials");
}

Result<engine::ServerSpec> spec_of(const EngineFlags& flags) {
  const engine::Preset* preset = engine::find_preset(flags.preset);
  if (preset == nullptr) {
    std::string names;
    for (const engine::Preset& known : engine::presets()) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    }
    return fail(ErrorCode::kConfig,
                fmt::format("--preset: there is no '{}'; there are {}", flags.preset, names));
  }
  const auto balancer = engine::balancer_from_name(flags.balancer);
  if (!balancer) {
    return fail(ErrorCode::kConfig,
                fmt::format("--balancer: there is no '{}'; off, off-published, off-rotating and "
                            "off-2026 are known",
                            flags.balancer));
  }
  engine::ServerSpec spec = preset->spec;
  spec.ranks = flags.ranks;
  spec.balancer = *balancer;
  spec.api_processes = flags.api_processes;
  spec.seed = flags.seed;
  spec.kv_tokens = flags.kv_tokens.value_or(spec.kv_tokens);
  spec.block_size = flags.block_size.value_or(spec.block_size);
  spec.max_num_seqs = flags.max_num_seqs.value_or(spec.max_num_seqs);
  spec.max_num_batched_tokens = flags.max_num_batched_tokens.value_or(spec.max_num_batched_tokens);
  spec.long_prefill_token_threshold = flags.long_prefill_token_threshold;
  spec.async_scheduling = flags.async_scheduling;
  spec.reserve_full_input = flags.reserve_full_input;
  spec.watermark = flags.watermark;
  if (!flags.step_time.empty()) {
    const auto step = engine::parse_step_time(flags.step_time);
    if (!step) return fail(ErrorCode::kConfig, "--step-time: " + step.error().message);
    spec.step = *step;
  }
  return spec;
}

}  // namespace

void add_engine_flags(CLI::App& command, EngineFlags& flags) {
  add_server_flags(command, flags);
  add_machine_flags(command, flags);
  add_scheduler_flags(command, flags);
  add_test_flags(command, flags);
}

Result<EngineOptions> engine_options_of(const EngineFlags& flags) {
  auto spec = spec_of(flags);
  if (!spec) return tl::unexpected<Error>(std::move(spec.error()));
  const auto counters = engine_http::prefix_counters_from_name(flags.prefix_counters);
  if (!counters) {
    return fail(ErrorCode::kConfig,
                fmt::format("--prefix-counters: there is no '{}'; admission and attempt are known",
                            flags.prefix_counters));
  }
  EngineOptions options = flags.options;
  options.spec = *spec;
  options.prefix_counters = *counters;
  options.models = flags.models;
  if (options.models.empty()) {
    options.models = {std::string(engine::find_preset(flags.preset)->model)};
  }
  if (auto checked = engine_http::check_options(options); !checked) {
    return tl::unexpected<Error>(std::move(checked.error()));
  }
  return options;
}

}  // namespace berth::cli
