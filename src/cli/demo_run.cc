#include "cli/demo_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "cli/demo_story.h"
#include "cli/demo_text.h"
#include "cli/demo_token.h"
#include "config/address.h"
#include "config/load.h"
#include "console/admin_server.h"
#include "gateway/gateway.h"
#include "net/address.h"
#include "observe/log.h"

namespace berth::cli {
namespace {

// The way to this binary from the folder we are in, as short as it can be; its bare name when the
// system does not tell.
std::string this_program() {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return "berth";
  const std::filesystem::path near = std::filesystem::proximate(whole, error);
  const bool below = !error && near.is_relative() && *near.begin() != "..";
  if (!below) return whole.string();
  return near.has_parent_path() ? near.string() : "./" + near.string();
}

constexpr int kKilledBySignal = 130;

// The preferred address where the user named none, then any free port there.
std::vector<config::Address> candidates(const std::optional<config::Address>& asked,
                                        std::uint16_t preferred_port) {
  if (asked) return {*asked};
  return {{"127.0.0.1", preferred_port}, {"127.0.0.1", 0}};
}

std::string url_of(const std::string& host, std::uint16_t port) {
  // A wildcard address is no place to send a request to.
  const bool wildcard = host == "0.0.0.0" || host == "::";
  return "http://" + net::join_host_port(wildcard ? "127.0.0.1" : host, port);
}

Result<config::Config> gateway_config(const DemoFleet& fleet, const config::Address& listen) {
  config::Overrides overrides;
  overrides.urls = fleet.urls();
  overrides.flags = {{"listen", config::format_address(listen)},
                     {"admin", "127.0.0.1:0"},
                     {"allow_open_listener", listen.is_loopback() ? "false" : "true"},
                     {"defaults.max_num_seqs", std::to_string(fleet.max_num_seqs())},
                     {"timeouts.scrape_every", "250ms"},
                     {"timeouts.health_every", "250ms"},
                     {"timeouts.drain", "3s"}};
  auto config = config::load(std::nullopt, {}, overrides);
  if (config) config->access_log.clear();
  return config;
}

class Demo {
 public:
  Demo(const DemoOptions& options, DemoToken token)
      : options_(options), token_(std::move(token)), deadline_(io_.get_executor()) {}

  Result<void> start();
  int run();

 private:
  Result<void> start_gateway();
  Result<void> start_admin();
  net::Task<void> perform();
  net::Task<void> end_on_signal();
  net::Task<void> end_on_time();
  net::Task<void> end();

  DemoOptions options_;
  DemoToken token_;
  SteadyClock clock_;
  net::asio::io_context io_{1};
  net::Timer deadline_;
  std::unique_ptr<DemoFleet> fleet_;
  std::unique_ptr<gateway::Gateway> gateway_;
  std::unique_ptr<console::AdminServer> admin_;
  std::unique_ptr<DemoStory> story_;
  std::string gateway_url_;
  std::string admin_url_;
  bool ending_ = false;
  int status_ = 0;
};

Result<void> Demo::start() {
  auto fleet = DemoFleet::start(options_.fleet);
  if (!fleet) return tl::unexpected(fleet.error());
  fleet_ = std::move(*fleet);
  if (auto started = start_gateway(); !started) return started;
  if (auto started = start_admin(); !started) return started;
  const auto url = http::parse_url(gateway_url_);
  if (!url) return tl::unexpected(url.error());
  DemoStoryOptions story{*url, options_.fleet, options_.sessions, options_.turns};
  story_ =
      std::make_unique<DemoStory>(io_.get_executor(), std::move(story), *fleet_, *gateway_, clock_);
  return {};
}

Result<void> Demo::start_gateway() {
  Error error;
  for (const config::Address& address : candidates(options_.listen, 8080)) {
    const auto config = gateway_config(*fleet_, address);
    if (!config) return tl::unexpected(config.error());
    std::vector<std::string> warnings = config->warnings;
    auto gateway = gateway::Gateway::start(io_, *config, clock_, warnings);
    if (!gateway) {
      error = gateway.error();
      continue;
    }
    for (const std::string& warning : warnings) fmt::print(stderr, "berth demo: {}\n", warning);
    gateway_ = std::move(*gateway);
    gateway_url_ = url_of(address.host, gateway_->port());
    return {};
  }
  return tl::unexpected(error);
}

Result<void> Demo::start_admin() {
  Error error;
  for (const config::Address& address : candidates(options_.admin, 9090)) {
    console::AdminOptions admin;
    admin.host = address.host;
    admin.port = address.port;
    admin.token = token_.token();
    auto server = console::AdminServer::start(io_, admin, *gateway_, clock_);
    if (!server) {
      error = server.error();
      continue;
    }
    admin_ = std::move(*server);
    admin_url_ = url_of(address.host, admin_->port());
    return {};
  }
  return tl::unexpected(error);
}

int Demo::run() {
  fmt::print("{}",
             demo_introduction(options_.fleet, fleet_->model(), options_.sessions, options_.turns));
  std::fflush(stdout);
  net::asio::co_spawn(io_.get_executor(), perform(), net::asio::detached);
  net::asio::co_spawn(io_.get_executor(), end_on_signal(), net::asio::detached);
  if (options_.seconds) net::asio::co_spawn(io_.get_executor(), end_on_time(), net::asio::detached);
  io_.run();
  return status_;
}

net::Task<void> Demo::perform() {
  const Result<void> told = co_await story_->tell();
  if (ending_) co_return;
  if (!told) {
    fmt::print(stderr, "berth demo: {}\n", told.error().message);
    status_ = 1;
  }
  if (options_.exit_after_story || (!told && told.error().code == ErrorCode::kNoReplica)) {
    co_await end();
    co_return;
  }
  DemoAddresses addresses{gateway_url_,    admin_url_,          token_.path(),
                          fleet_->model(), story_->a_session(), this_program()};
  fmt::print("\n{}", demo_addresses(addresses));
  std::fflush(stdout);
  co_await story_->go_on();
}

net::Task<void> Demo::end_on_signal() {
  net::asio::basic_signal_set<net::Executor> signals(io_.get_executor(), SIGINT, SIGTERM);
  co_await signals.async_wait(net::use_tuple);
  signals.async_wait([](const net::error_code& error, int) {
    if (!error) _exit(kKilledBySignal);
  });
  co_await end();
}

net::Task<void> Demo::end_on_time() {
  deadline_.expires_after(
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*options_.seconds)));
  const auto [error] = co_await deadline_.async_wait(net::use_tuple);
  if (!error) co_await end();
}

net::Task<void> Demo::end() {
  if (std::exchange(ending_, true)) co_return;
  story_->stop();
  co_await gateway_->drain();
  admin_->stop();
  io_.stop();
}

}  // namespace

int run_demo(const DemoOptions& options) {
  // The story says what happens; the log adds what goes wrong.
  observe::set_log_level(observe::LogLevel::kWarning);
  auto token = DemoToken::obtain(options.token_file);
  if (!token) {
    fmt::print(stderr, "berth demo: {}\n", token.error().message);
    return 1;
  }
  if (!token->warning().empty()) fmt::print(stderr, "berth demo: {}\n", token->warning());
  Demo demo(options, std::move(*token));
  if (const auto started = demo.start(); !started) {
    fmt::print(stderr, "berth demo: {}\n", started.error().message);
    return 1;
  }
  return demo.run();
}

}  // namespace berth::cli
