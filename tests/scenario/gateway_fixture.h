// A real gateway on loopback, with the control thread it needs, for one scenario.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "config/schema.h"
#include "gateway/gateway.h"
#include "scenario/raw_client.h"
#include "scenario/scripted_server.h"

namespace berth::scenario {

// Waits until `condition` holds; false after kPatience. The only waiting a scenario does.
bool eventually(const std::function<bool()>& condition);

// The machine's clock, put forward by what a test wants to have passed. Timers of the event loop do
// not follow it.
class ShiftedClock final : public Clock {
 public:
  Instant now() const override { return std::chrono::steady_clock::now() + shift_.load(); }
  WallTime wall() const override { return std::chrono::system_clock::now(); }
  void advance(Duration by) { shift_ = shift_.load() + by; }

 private:
  std::atomic<Duration> shift_{Duration::zero()};
};

class RunningGateway {
 public:
  // Starts on a free port and waits until `replicas` replicas are up. `config.servers` is filled
  // from `urls`.
  RunningGateway(const std::vector<std::string>& urls, std::size_t replicas,
                 config::Config config = defaults());
  ~RunningGateway();

  // Short timings for the fleet, no access log on standard output.
  static config::Config defaults();

  std::uint16_t port() const { return gateway_->port(); }
  gateway::Gateway& operator*() { return *gateway_; }
  gateway::Gateway* operator->() { return gateway_.get(); }
  const std::vector<std::string>& warnings() const { return warnings_; }

  // What the gateway takes for the time.
  ShiftedClock& clock() { return clock_; }
  // Runs on the control thread and waits for it.
  void on_control_thread(const std::function<void()>& action);
  // Reloads with what `change` makes of the configuration in use, as SIGHUP does.
  void reload(const std::function<void(config::Config&)>& change);
  // Drains as SIGTERM does; returns the number of requests that were cut.
  std::uint32_t drain();

  observe::ModelStatus model(std::size_t index = 0) const {
    return gateway_->status().models.at(index);
  }
  std::uint64_t outcomes(routing::Outcome outcome) const;
  // True once nothing is in flight anywhere, with or without a rank.
  bool settles() const;

 private:
  net::asio::io_context io_{1};
  net::asio::executor_work_guard<net::Executor> work_;
  ShiftedClock clock_;
  config::Config config_;
  std::vector<std::string> warnings_;
  std::unique_ptr<gateway::Gateway> gateway_;
  std::thread thread_;
};

}  // namespace berth::scenario
