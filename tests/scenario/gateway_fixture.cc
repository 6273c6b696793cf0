#include "scenario/gateway_fixture.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <future>

#include "base/check.h"
#include "observe/log.h"

namespace berth::scenario {

bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

config::Config RunningGateway::defaults() {
  config::Config config;
  config.listen = {"127.0.0.1", 0};
  config.access_log = "";
  config.threads = 2;
  config.timeouts.scrape_every = std::chrono::milliseconds(20);
  config.timeouts.health_every = std::chrono::milliseconds(20);
  return config;
}

RunningGateway::RunningGateway(const std::vector<std::string>& urls, std::size_t replicas,
                               config::Config config)
    : work_(net::asio::make_work_guard(io_)) {
  observe::set_log_level(observe::LogLevel::kError);  // a scenario speaks through its expectations
  for (const std::string& url : urls) {
    const bool known = std::any_of(config.servers.begin(), config.servers.end(),
                                   [&](const config::Server& server) { return server.url == url; });
    if (known) continue;
    config::Server server;
    server.url = url;
    config.servers.push_back(server);
  }
  config_ = config;
  auto started = gateway::Gateway::start(io_, config, clock_, warnings_);
  if (!started) std::fprintf(stderr, "gateway: %s\n", started.error().message.c_str());
  BERTH_CHECK(started.has_value());
  gateway_ = std::move(*started);
  thread_ = std::thread([this] { io_.run(); });
  BERTH_CHECK(eventually([&] {
    std::size_t up = 0;
    for (const observe::ModelStatus& model : gateway_->status().models) {
      for (const observe::ReplicaStatus& replica : model.replicas) {
        if (replica.routing.state == routing::ReplicaState::kUp && !replica.routing.removed) ++up;
      }
    }
    return up == replicas;
  }));
}

RunningGateway::~RunningGateway() {
  on_control_thread([this] { gateway_.reset(); });
  work_.reset();
  io_.stop();
  thread_.join();
}

void RunningGateway::on_control_thread(const std::function<void()>& action) {
  std::promise<void> done;
  net::asio::post(io_, [&] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

void RunningGateway::reload(const std::function<void(config::Config&)>& change) {
  change(config_);
  on_control_thread([this] { EXPECT_TRUE(gateway_->reload(config_).has_value()); });
}

namespace {

net::Task<void> drain_into(gateway::Gateway* gateway, std::promise<std::uint32_t>* cut) {
  const gateway::Gateway::Drained drained = co_await gateway->drain();
  cut->set_value(drained.cut);
}

}  // namespace

std::uint32_t RunningGateway::drain() {
  std::promise<std::uint32_t> cut;
  net::asio::co_spawn(io_, drain_into(gateway_.get(), &cut), net::asio::detached);
  return cut.get_future().get();
}

std::uint64_t RunningGateway::outcomes(routing::Outcome outcome) const {
  return model().outcomes[static_cast<std::size_t>(outcome)];
}

bool RunningGateway::settles() const {
  return eventually([this] {
    for (const observe::ModelStatus& model : gateway_->status().models) {
      if (model.unranked_in_flight != 0) return false;
      for (const observe::ReplicaStatus& replica : model.replicas) {
        if (replica.routing.view.in_flight != 0) return false;
      }
    }
    return true;
  });
}

}  // namespace berth::scenario
