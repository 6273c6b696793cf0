#include <fmt/format.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "config/address.h"
#include "engine/presets.h"
#include "engine_http/engine_server.h"
#include "net/types.h"

namespace berth::cli {
namespace {

using engine_http::EngineOptions;
using engine_http::EngineServer;

constexpr int kBadUsage = 2;

struct Flags {
  std::string listen = "127.0.0.1:8000";
  std::vector<std::string> models;
  std::string preset = "a4000-qwen3-4b";
  std::string balancer = "off";
  std::uint32_t ranks = 1;
  std::uint32_t api_processes = 0;
  std::optional<std::uint64_t> kv_tokens;
  std::optional<std::uint32_t> max_num_seqs;
  std::uint64_t seed = 1;
  EngineOptions options;  // the flags that are options as they are
};

constexpr const char* kFooter =
    "Example: a server of four ranks, ten times faster than the real one, and one request to it:\n"
    "  berth engine --listen 127.0.0.1:8000 --data-parallel-size 4 --time-scale 10\n"
    "  curl -N http://127.0.0.1:8000/v1/chat/completions -H 'content-type: application/json' \\\n"
    "    -H 'x-data-parallel-rank: 2' -d "
    "'{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":"
    "\"hello\"}]}'\n"
    "docs/engine.md says what is imitated, and how to script replies and faults.";

std::string preset_help() {
  std::string text = "The machine that is simulated:";
  for (const engine::Preset& preset : engine::presets()) {
    text += fmt::format("\n{} ({})", preset.name, preset.what);
  }
  return text;
}

void add_flags(CLI::App& command, Flags& flags) {
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
  command.add_option("--preset", flags.preset, preset_help())->capture_default_str();
  command.add_option("--kv-tokens", flags.kv_tokens, "KV cache of one rank, in tokens");
  command.add_option("--max-num-seqs", flags.max_num_seqs, "Requests a rank runs at once");
  command
      .add_option("--max-model-len", flags.options.max_model_len,
                  "Prompt and output tokens of one request; 0: what fits one rank's cache")
      ->capture_default_str();
  command
      .add_option("--time-scale", flags.options.time_scale,
                  "How many times faster than the real machine")
      ->capture_default_str();
  command.add_option("--seed", flags.seed, "For replies without a script")->capture_default_str();
  command.add_option("--api-key", flags.options.api_key,
                     "Ask for `Authorization: Bearer KEY` on /v1 paths, as vLLM does");
  command.add_flag_callback(
      "--no-prompt-tokens-details", [&flags] { flags.options.prompt_tokens_details = false; },
      "Do not tell the cached tokens (vLLM without --enable-prompt-tokens-details)");
  command.add_flag("--allow-faults", flags.options.allow_faults,
                   "Let requests ask for faults (header x-berth-fault, POST /berth/faults)");
  command.add_option("--record", flags.options.record_file,
                     "Append a JSON line with hashes and headers for every finished request; the "
                     "file holds credentials");
  command.footer(kFooter);
}

Result<EngineOptions> options_of(const Flags& flags) {
  const engine::Preset* preset = engine::find_preset(flags.preset);
  if (preset == nullptr) {
    return fail(ErrorCode::kConfig,
                fmt::format("--preset: there is no '{}'; see berth engine --help", flags.preset));
  }
  const auto balancer = engine::balancer_from_name(flags.balancer);
  if (!balancer) {
    return fail(ErrorCode::kConfig,
                fmt::format("--balancer: there is no '{}'; off, off-published, off-rotating and "
                            "off-2026 are known",
                            flags.balancer));
  }
  EngineOptions options = flags.options;
  options.spec = preset->spec;
  options.spec.ranks = flags.ranks;
  options.spec.balancer = *balancer;
  options.spec.api_processes = flags.api_processes;
  options.spec.seed = flags.seed;
  if (flags.kv_tokens) options.spec.kv_tokens = *flags.kv_tokens;
  if (flags.max_num_seqs) options.spec.max_num_seqs = *flags.max_num_seqs;
  options.models = flags.models;
  if (options.models.empty()) options.models = {std::string(preset->model)};
  if (auto checked = engine_http::check_options(options); !checked) {
    return tl::unexpected<Error>(std::move(checked.error()));
  }
  return options;
}

int serve_until_signal(const Flags& flags) {
  const auto address = config::parse_address(flags.listen);
  const auto options = options_of(flags);
  if (!address || !options) {
    const std::string problem =
        address ? options.error().message : "--listen: " + address.error().message;
    fmt::print(stderr, "berth engine: {}\n", problem);
    return kBadUsage;
  }
  net::asio::io_context io(1);
  auto server = EngineServer::start(io, address->host, address->port, *options);
  if (!server) {
    fmt::print(stderr, "berth engine: {}\n", server.error().message);
    return 1;
  }
  config::Address bound = *address;
  bound.port = (*server)->port();
  fmt::print("berth engine: {} on http://{} ({} rank{}, balancer {}, {} KV tokens a rank)\n",
             options->models.front(), config::format_address(bound), flags.ranks,
             flags.ranks == 1 ? "" : "s", flags.balancer, options->spec.kv_tokens);
  std::fflush(stdout);
  net::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&server](const net::error_code&, int) { (*server)->stop(); });
  io.run();
  return 0;
}

}  // namespace

void add_engine(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "engine", "Run one simulated vLLM server, with the HTTP face of the real one");
  const auto flags = std::make_shared<Flags>();
  add_flags(*command, *flags);
  command->callback([flags, &status] { status = serve_until_signal(*flags); });
}

}  // namespace berth::cli
