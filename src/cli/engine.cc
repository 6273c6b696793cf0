#include <fmt/format.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/engine_fit.h"
#include "cli/engine_flags.h"
#include "config/address.h"
#include "engine_http/engine_server.h"
#include "net/types.h"

namespace berth::cli {
namespace {

using engine_http::EngineServer;

constexpr int kBadUsage = 2;

constexpr const char* kFooter =
    "Example: a server of four ranks, ten times faster than the real one, and one request to it:\n"
    "  berth engine --listen 127.0.0.1:8000 --data-parallel-size 4 --time-scale 10\n"
    "  curl -N http://127.0.0.1:8000/v1/chat/completions -H 'content-type: application/json' \\\n"
    "    -H 'x-data-parallel-rank: 2' -d "
    "'{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":"
    "\"hello\"}]}'\n"
    "docs/engine.md says what is imitated, and how to script replies and faults.";

int serve_until_signal(const EngineFlags& flags) {
  const auto address = config::parse_address(flags.listen);
  const auto options = engine_options_of(flags);
  if (!address || !options) {
    const std::string problem =
        address ? options.error().message : "--listen: " + address.error().message;
    fmt::print(stderr, "berth engine: {}\n", problem);
    return kBadUsage;
  }
  if (!flags.fit.empty()) return print_step_fit(flags.fit, options->spec);
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
  const auto flags = std::make_shared<EngineFlags>();
  add_engine_flags(*command, *flags);
  command->footer(kFooter);
  command->callback([flags, &status] { status = serve_until_signal(*flags); });
}

}  // namespace berth::cli
