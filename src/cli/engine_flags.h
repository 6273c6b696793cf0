// The flags of `berth engine`, and what they come to.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine_http/engine_server.h"

namespace berth::cli {

struct EngineFlags {
  std::string listen = "127.0.0.1:8000";
  std::vector<std::string> models;
  std::string preset = "a4000-qwen3-4b";
  std::string balancer = "off";
  std::uint32_t ranks = 1;
  std::uint32_t api_processes = 0;
  std::optional<std::uint64_t> kv_tokens;
  std::optional<std::uint32_t> block_size;
  std::optional<std::uint32_t> max_num_seqs;
  std::optional<std::uint32_t> max_num_batched_tokens;
  std::uint32_t long_prefill_token_threshold = 0;
  bool async_scheduling = true;
  bool reserve_full_input = true;
  double watermark = 0;
  std::string step_time;
  std::string fit;
  std::string prefix_counters = "admission";
  std::uint64_t seed = 1;
  engine_http::EngineOptions options;  // the flags that are options as they are
};

// The defaults that are in `flags` appear in the help.
void add_engine_flags(CLI::App& command, EngineFlags& flags);

// Errors (kConfig) name the flag.
Result<engine_http::EngineOptions> engine_options_of(const EngineFlags& flags);

}  // namespace berth::cli
