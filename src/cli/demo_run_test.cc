// The whole demo in this process, on free ports, as fast as it goes.
#include "cli/demo_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/admin_client.h"
#include "console/json.h"

namespace berth::cli {
namespace {

using console::Json;

DemoOptions quick() {
  DemoOptions options;
  options.fleet.replicas = 2;
  options.fleet.time_scale = 500;
  options.sessions = 2;
  options.turns = 2;
  options.listen = config::Address{"127.0.0.1", 0};
  options.admin = config::Address{"127.0.0.1", 0};
  options.exit_after_story = true;
  return options;
}

struct Finished {
  int status = -1;
  std::string out;
  std::string err;
};

Finished run_captured(const DemoOptions& options) {
  Finished run;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run.status = run_demo(options);
  run.out = testing::internal::GetCapturedStdout();
  run.err = testing::internal::GetCapturedStderr();
  return run;
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t found = 0;
  for (auto at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++found;
  return found;
}

TEST(DemoRun, OnRanksLaterTurnsAreStickyWithAffinityOn) {
  const Finished run = run_captured(quick());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(count(run.out, "  unbound  the engine's choice"), 4u) << run.out;
  EXPECT_EQ(count(run.out, "  placed   127.0.0.1:"), 2u) << run.out;
  EXPECT_EQ(count(run.out, "(this is its home)"), 2u) << run.out;
  EXPECT_NE(run.out.find("sticky share 100.0%"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("(engine's choice)         4"), std::string::npos) << run.out;
}

TEST(DemoRun, OnServersTheSameSticks) {
  DemoOptions options = quick();
  options.fleet.topology = Topology::kServers;
  const Finished run = run_captured(options);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(count(run.out, "  unbound  127.0.0.1:"), 4u) << run.out;
  EXPECT_EQ(count(run.out, "(this is its home)"), 2u) << run.out;
}

TEST(DemoRun, ManyAgentsAreNotToldTurnByTurn) {
  DemoOptions options = quick();
  options.sessions = 9;
  const Finished run = run_captured(options);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(count(run.out, "(this is its home)"), 0u) << run.out;
  EXPECT_EQ(count(run.out, "  placed   127.0.0.1:"), 9u) << run.out;
}

TEST(DemoRun, AnAddressInUseIsAnErrorThatNamesIt) {
  DemoOptions options = quick();
  options.listen = config::Address{"192.0.2.1", 8080};  // an address nobody has
  const Finished run = run_captured(options);
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("192.0.2.1"), std::string::npos) << run.err;
}

// Waits for the demo in this process to print where its admin API is, and then for its story to be
// over.
class Watcher {
 public:
  explicit Watcher(std::string token_file) : token_file_(std::move(token_file)) {}
  ~Watcher() {
    if (thread_.joinable()) thread_.join();
  }
  void end_by_signal_once_running(std::uint16_t admin_port) {
    thread_ = std::thread([this, admin_port] { watch(admin_port); });
  }
  const Json& snapshot() const { return snapshot_; }
  bool token_was_there() const { return token_was_there_; }

 private:
  void watch(std::uint16_t admin_port) {
    AdminCall call;
    call.url = "http://127.0.0.1:" + std::to_string(admin_port);
    call.path = "/api/snapshot";
    for (;;) {
      const auto reply = call_admin(call);
      if (!reply) continue;
      snapshot_ = Json::parse(reply->body, nullptr, false);
      if (snapshot_["totals"]["sticky"] == 2) break;
    }
    token_was_there_ = std::filesystem::exists(token_file_);
    kill(getpid(), SIGTERM);
  }

  std::string token_file_;
  std::thread thread_;
  Json snapshot_;
  bool token_was_there_ = false;
};

std::uint16_t free_port() {
  net::asio::io_context io(1);
  net::tcp::acceptor acceptor(io, net::tcp::endpoint(net::asio::ip::address_v4::loopback(), 0));
  return acceptor.local_endpoint().port();
}

TEST(DemoRun, StaysUpUntilASignalAndThenSucceeds) {
  const auto token_file =
      (std::filesystem::temp_directory_path() / ("berth-demo-token-" + std::to_string(getpid())))
          .string();
  DemoOptions options = quick();
  options.exit_after_story = false;
  options.token_file = token_file;
  options.admin->port = free_port();
  Watcher watcher(token_file);
  watcher.end_by_signal_once_running(options.admin->port);
  const Finished run = run_captured(options);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(watcher.snapshot()["models"][0]["replicas"].size(), 2u);
  EXPECT_TRUE(watcher.token_was_there());
  std::filesystem::remove(token_file);
}

TEST(DemoRun, EndsByItselfWhenTold) {
  DemoOptions options = quick();
  options.exit_after_story = false;
  options.seconds = 0.01;
  EXPECT_EQ(run_captured(options).status, 0);
}

}  // namespace
}  // namespace berth::cli
