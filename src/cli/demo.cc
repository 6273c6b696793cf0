#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/demo_run.h"
#include "config/address.h"

namespace berth::cli {
namespace {

constexpr int kBadUsage = 2;
constexpr const char* kRanks = "ranks";
constexpr const char* kServers = "servers";

constexpr const char* kFooter =
    "Example: eight agents on four independent servers, as fast as the real machine:\n"
    "  berth demo --sessions 8 --topology servers --time-scale 1";

struct DemoFlags {
  DemoOptions options;
  std::string listen;
  std::string admin;
  std::string topology = kRanks;
};

// Empty text: absent. False, and the error printed, when it is no address.
bool read_address(const char* flag, const std::string& text, std::optional<config::Address>& out) {
  if (text.empty()) return true;
  auto address = config::parse_address(text);
  if (!address) {
    fmt::print(stderr, "berth demo: {}: {}\n", flag, address.error().message);
    return false;
  }
  out = std::move(*address);
  return true;
}

int run(DemoFlags flags) {
  if (!read_address("--listen", flags.listen, flags.options.listen) ||
      !read_address("--admin", flags.admin, flags.options.admin)) {
    return kBadUsage;
  }
  if (flags.topology == kServers) flags.options.fleet.topology = Topology::kServers;
  return run_demo(flags.options);
}

void add_fleet_flags(CLI::App& command, DemoFlags& flags) {
  DemoFleetOptions& fleet = flags.options.fleet;
  command.add_option("--replicas", fleet.replicas, "Replicas of the model")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command
      .add_option(
          "--topology", flags.topology,
          "ranks: one server with that many data-parallel ranks; servers: that many servers")
      ->check(CLI::IsMember({kRanks, kServers}))
      ->capture_default_str();
  command
      .add_option("--time-scale", fleet.time_scale, "How many times faster than the real machine")
      ->check(CLI::Range(0.1, 1000.0))
      ->capture_default_str();
}

}  // namespace

void add_demo(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "demo", "Run a simulated fleet, the gateway and a few agents in one process; no GPU needed");
  const auto flags = std::make_shared<DemoFlags>();
  DemoOptions& options = flags->options;
  add_fleet_flags(*command, *flags);
  command->add_option("--sessions", options.sessions, "Agents at work at the same time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--turns", options.turns, "Turns of each session in each part of the story")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--listen", flags->listen,
                      "HOST:PORT of the gateway (127.0.0.1:8080, or a free port if that is taken)");
  command->add_option(
      "--admin", flags->admin,
      "HOST:PORT of the admin API (127.0.0.1:9090, or a free port if that is taken)");
  command->add_option("--admin-token-file", options.token_file,
                      "File with the admin token; written with a fresh one when it does not exist");
  command->add_option("--seconds", options.seconds, "End by itself after that many seconds")
      ->check(CLI::PositiveNumber);
  command->add_flag("--exit", options.exit_after_story, "End by itself after the story");
  command->footer(kFooter);
  command->callback([flags, &status] { status = run(*flags); });
}

}  // namespace berth::cli
