// How `berth serve` starts: what it takes for itself, and what it refuses to share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "scenario/child_process.h"
#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Start : public ::testing::Test {
 protected:
  Start() : server_(answer_messages) {
    std::string pattern = ::testing::TempDir() + "berth-start-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
  }
  ~Start() override { std::filesystem::remove_all(dir_); }

  std::vector<std::string> serve(const std::string& listen, const std::string& admin,
                                 const std::string& state_dir = "") const {
    std::vector<std::string> arguments{"serve", "--listen", listen, "--admin", admin};
    if (!state_dir.empty()) {
      arguments.emplace_back("--state-dir");
      arguments.push_back(state_dir);
    }
    arguments.push_back(server_.url());
    return arguments;
  }
  static Message get(std::uint16_t port, const std::string& path) {
    RawClient client(port);
    client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.response().value_or(Message{});
  }
  static bool ready(std::uint16_t admin) {
    return eventually([&] { return get(admin, "/readyz").status() == 200; });
  }
  // A state file of `count` bindings whose server is not here.
  void write_bindings(const std::string& directory, int count) {
    std::filesystem::create_directories(directory);
    std::ofstream out(directory + "/bindings.json");
    out << R"({"schema":1,"saved_at_unix_ms":4000000000000,"models":{"m":[)";
    for (int i = 0; i < count; ++i) {
      out << (i == 0 ? "" : ",") << R"({"tenant":"","model":"m","session":"s)" << i
          << R"(","agent":"","identity":1,"replica":"elsewhere:1","idle_ms":)" << i % 1000
          << R"(,"tokens":9,"turns":1})";
    }
    out << "]}}";
  }

  ScriptedServer server_;
  std::string dir_;
};

TEST_F(Start, ASecondGatewayOnThePortIsRefusedAndTakesNoConnection) {
  ChildProcess first(serve("127.0.0.1:0", "127.0.0.1:0"));
  const std::uint16_t port = first.port_of("gateway");
  ASSERT_TRUE(ready(first.port_of("admin")));
  const std::string address = "127.0.0.1:" + std::to_string(port);
  ChildProcess second(serve(address, "127.0.0.1:0"));
  EXPECT_EQ(second.wait(), 1);
  EXPECT_TRUE(second.says("cannot listen on " + address)) << second.errors();
  EXPECT_TRUE(second.says("another process listens there")) << second.errors();
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(), 0);
}

TEST_F(Start, ATakenAdminAddressIsFoundBeforeThePublicOneIsTouched) {
  ChildProcess first(serve("127.0.0.1:0", "127.0.0.1:0"));
  ASSERT_NE(first.port_of("gateway"), 0);
  const std::string admin = "127.0.0.1:" + std::to_string(first.port_of("admin"));
  const std::string listen = "127.0.0.1:" + std::to_string(first.port_of("gateway"));
  ChildProcess second(serve(listen, admin));
  EXPECT_EQ(second.wait(), 1);
  EXPECT_TRUE(second.says("cannot listen on " + admin)) << second.errors();
}

TEST_F(Start, APortIsFreeAgainAsSoonAsItsGatewayEnded) {
  std::string address;
  {
    ChildProcess berth(serve("127.0.0.1:0", "127.0.0.1:0"));
    const std::uint16_t port = berth.port_of("gateway");
    address = "127.0.0.1:" + std::to_string(port);
    ASSERT_TRUE(ready(berth.port_of("admin")));
    RawClient client(port);
    EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", true), claude("s")).status(), 200);
    berth.signal(SIGTERM);  // closes the connection first: it stays in TIME_WAIT
    EXPECT_EQ(berth.wait(), 0);
  }
  ChildProcess again(serve(address, "127.0.0.1:0"));
  EXPECT_NE(again.port_of("gateway"), 0) << again.errors();
}

TEST_F(Start, TheAdminAddressAnswersWhileManyBindingsAreLoaded) {
  const std::string state = dir_ + "/state";
  write_bindings(state, 50'000);
  ChildProcess berth(serve("127.0.0.1:0", "127.0.0.1:0", state));
  const std::uint16_t admin = berth.port_of("admin");
  EXPECT_EQ(get(admin, "/healthz").status(), 200);
  const Message early = get(admin, "/readyz");
  EXPECT_EQ(early.status(), 503);
  EXPECT_THAT(early.body, HasSubstr("loading the bindings"));
  ASSERT_TRUE(ready(admin));
  EXPECT_THAT(get(admin, "/readyz").body, Not(HasSubstr("loading")));
  berth.signal(SIGTERM);
  EXPECT_EQ(berth.wait(), 0);
}

TEST_F(Start, StoppingDuringTheLoadLeavesTheFileAsItIs) {
  const std::string state = dir_ + "/state";
  write_bindings(state, 50'000);
  const auto size = std::filesystem::file_size(state + "/bindings.json");
  ChildProcess berth(serve("127.0.0.1:0", "127.0.0.1:0", state));
  ASSERT_NE(berth.port_of("admin"), 0);
  berth.signal(SIGTERM);
  EXPECT_EQ(berth.wait(), 0);
  EXPECT_TRUE(berth.says("0 cut, the state file is as it was")) << berth.errors();
  EXPECT_EQ(std::filesystem::file_size(state + "/bindings.json"), size);
}

TEST_F(Start, ADamagedStateFileIsAWarningInTheLog) {
  const std::string state = dir_ + "/state";
  std::filesystem::create_directories(state);
  std::ofstream(state + "/bindings.json") << "{\"schema\":1,";
  ChildProcess berth(serve("127.0.0.1:0", "127.0.0.1:0", state));
  EXPECT_TRUE(berth.says(state + "/bindings.json is damaged")) << berth.errors();
  EXPECT_TRUE(ready(berth.port_of("admin")));
}

}  // namespace
}  // namespace berth::scenario
