// berth serve: the gateway, the admin API and the signals that steer them.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/config_flags.h"
#include "cli/descriptor_limit.h"
#include "cli/environment.h"
#include "cli/human.h"
#include "config/load.h"
#include "config/reload.h"
#include "console/admin_server.h"
#include "gateway/gateway.h"
#include "net/address.h"
#include "net/spawn.h"
#include "observe/log.h"
#include "observe/log_writer.h"

namespace berth::cli {

namespace {

struct ServeOptions {
  std::optional<std::string> config_file;
  config::Overrides overrides;
};

// Everything a running `berth serve` owns. Lives on the stack of serve().
struct Running {
  Running() { signals.add(SIGUSR1); }

  net::asio::io_context io{1};
  // From the beginning: a SIGHUP that comes before the first wait is kept, and must not end us.
  net::asio::basic_signal_set<net::Executor> signals{io.get_executor(), SIGHUP, SIGTERM, SIGINT};
  SteadyClock clock;
  config::Config config;
  std::unique_ptr<gateway::Gateway> gateway;
  std::unique_ptr<console::AdminServer> admin;
  bool stopping = false;
};

void warn_all(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) observe::log_warning("{}", warning);
}

// One record a problem, so that each can be found by its file and line.
void log_each_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    observe::log_error("{}", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void warn_about_descriptors(const config::Config& config) {
  const std::uint64_t limit = raise_descriptor_limit();
  if (const auto warning = descriptor_warning(limit, config.limits.connections)) {
    observe::log_warning("{}", *warning);
  }
}

std::string token_of(const config::Config& config) {
  return config.admin_token ? config.admin_token->value : std::string();
}

void apply_log_level(const config::Config& config) {
  observe::set_log_level(
      observe::parse_log_level(config.log_level).value_or(observe::LogLevel::kInfo));
}

// What neither the gateway nor a server of its own takes over at a reload.
void apply_process_settings(Running& running) {
  apply_log_level(running.config);
  running.admin->set_token(token_of(running.config));
  running.admin->set_extra_hosts(running.config.admin_hosts);
}

// SIGHUP: everything is validated first; on any fault the old configuration stays.
void reload(Running& running, const ServeOptions& options) {
  Result<config::Config> loaded =
      config::load(options.config_file, berth_environment(), options.overrides);
  if (!loaded) {
    running.gateway->count_failed_reload();
    observe::log_error("reload refused, the running configuration stays:");
    log_each_line(loaded.error().message);
    return;
  }
  config::ReloadPlan plan = config::plan_reload(running.config, *loaded);
  if (plan.refused) {
    running.gateway->count_failed_reload();
    observe::log_error("reload refused, the running configuration stays: {}", *plan.refused);
    return;
  }
  const Result<void> applied = running.gateway->reload(plan.next);
  if (!applied) {
    observe::log_error("reload refused, the running configuration stays: {}",
                       applied.error().message);
    return;
  }
  running.config = std::move(plan.next);
  apply_process_settings(running);
  warn_all(running.config.warnings);
  warn_about_descriptors(running.config);
  warn_all(plan.needs_restart);
  for (const std::string& change : plan.changes) observe::log_info("reload: {}", change);
  observe::log_info("configuration reloaded");
}

// SIGUSR1: whoever rotates the log has renamed the file.
void reopen_access_log(Running& running) {
  if (const Result<void> opened = running.gateway->reopen_access_log(); !opened) {
    observe::log_error("the access log goes on in its old file: {}", opened.error().message);
    return;
  }
  observe::log_info("access log opened anew");
}

net::Task<void> drain_and_stop(Running* running) {
  observe::log_info("draining: open streams may go on for {} s",
                    to_seconds(running->config.timeouts.drain));
  const gateway::Gateway::Drained drained = co_await running->gateway->drain();
  const std::string kept = drained.saved ? counted(*drained.saved, "binding") + " saved"
                           : running->config.state_dir.empty() ? "no bindings kept (no state_dir)"
                                                               : "the state file is as it was";
  observe::log_info("Stopped: {} ended while draining, {} cut, {}",
                    counted(drained.ended, "request"), drained.cut, kept);
  running->admin->stop();
  running->io.stop();
}

net::Task<void> watch_signals(Running* running, const ServeOptions* options) {
  for (;;) {
    const auto [error, number] = co_await running->signals.async_wait(net::use_tuple);
    if (error) co_return;
    if (number == SIGHUP) {
      reload(*running, *options);
    } else if (number == SIGUSR1) {
      reopen_access_log(*running);
    } else if (!running->stopping) {
      running->stopping = true;
      net::spawn(running->io.get_executor(), "drain_and_stop", drain_and_stop(running));
    } else {
      observe::log_warning("second signal: stopping at once");
      running->io.stop();
    }
  }
}

Result<void> start(Running& running) {
  std::vector<std::string> warnings = running.config.warnings;
  Result<std::unique_ptr<gateway::Gateway>> gateway =
      gateway::Gateway::open(running.io, running.config, running.clock, warnings);
  if (!gateway) return tl::unexpected(gateway.error());
  running.gateway = std::move(*gateway);
  console::AdminOptions admin;
  admin.host = running.config.admin.host;
  admin.port = running.config.admin.port;
  admin.token = token_of(running.config);
  admin.extra_hosts = running.config.admin_hosts;
  Result<std::unique_ptr<console::AdminServer>> server =
      console::AdminServer::start(running.io, admin, *running.gateway, running.clock);
  if (!server) return tl::unexpected(server.error());
  running.admin = std::move(*server);
  if (Result<void> listening = running.gateway->listen(); !listening) return listening;
  warn_all(warnings);
  return {};
}

int serve(const ServeOptions& options) {
  // Whoever reads our log may go away (`berth serve 2>&1 | tee x`); that must not end us.
  std::signal(SIGPIPE, SIG_IGN);
  std::optional<observe::LogWriter> log_writer;  // outlives all that logs
  Running running;
  Result<config::Config> loaded =
      config::load(options.config_file, berth_environment(), options.overrides);
  if (!loaded) {
    fmt::print(stderr, "{}\n", loaded.error().message);
    return 1;
  }
  running.config = std::move(*loaded);
  apply_log_level(running.config);
  warn_about_descriptors(running.config);
  if (Result<void> started = start(running); !started) {
    fmt::print(stderr, "berth serve: {}\n", started.error().message);
    return 1;
  }
  log_writer.emplace();  // clients are served from here on
  const char* scheme = running.config.tls_certificate_file.empty() ? "http" : "https";
  observe::log_info("gateway on {}://{}", scheme,
                    net::join_host_port(running.config.listen.host, running.gateway->port()));
  observe::log_info("admin on http://{}",
                    net::join_host_port(running.config.admin.host, running.admin->port()));
  net::spawn(running.io.get_executor(), "watch_signals", watch_signals(&running, &options));
  running.io.run();
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command = app.add_subcommand("serve", "Run the gateway in front of vLLM servers");
  command->add_option("urls", options->overrides.urls, "vLLM servers, e.g. http://gpu0:8000");
  command->add_option("--config", options->config_file, "Configuration file (docs/config.md)");
  add_config_flags(*command, options->overrides);
  command->footer(
      "Example:\n"
      "  berth serve http://gpu0:8000 http://gpu1:8000\n"
      "  berth serve --config /etc/berth/berth.toml --state-dir /var/lib/berth\n\n"
      "SIGHUP reloads the configuration, SIGUSR1 opens the access log anew, SIGTERM drains and "
      "stops.");
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace berth::cli
