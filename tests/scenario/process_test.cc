// `berth serve` as an operator runs it: signals, reloads, restarts, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenario/child_process.h"
#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Process : public ::testing::Test {
 protected:
  Process() : server_(answer_messages), other_(answer_messages) {
    std::string pattern = ::testing::TempDir() + "berth-process-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
  }
  ~Process() override { std::filesystem::remove_all(dir_); }

  std::string write_config(const std::string& extra = "") {
    const std::string path = dir_ + "/berth.toml";
    std::ofstream(path) << "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\naccess_log = \"\"\n"
                        << extra << "[[server]]\nurl = \"" << server_.url()
                        << "\"\n[[server]]\nurl = \"" << other_.url() << "\"\n";
    return path;
  }
  // Asks until the model has been discovered and a replica answers.
  static Message ask_when_ready(std::uint16_t port, const std::string& session,
                                const std::string& model = "m") {
    Message answer;
    EXPECT_TRUE(eventually([&] {
      RawClient client(port);
      answer = client.ask("/v1/messages", messages_body("hi", true, model), claude(session));
      return answer.status() == 200;
    })) << answer.body;
    return answer;
  }

  ScriptedServer server_;
  ScriptedServer other_;
  std::string dir_;
};

TEST_F(Process, ABrokenFileAtSighupKeepsEverythingAndAGoodOneIsTaken) {
  const std::string path = write_config();
  ChildProcess berth({"serve", "--config", path});
  const std::uint16_t port = berth.port_of("gateway");
  const Message first = ask_when_ready(port, "s1");

  std::ofstream(path) << "listen = \"127.0.0.1:0\"\nlimitz = 3\n";
  berth.signal(SIGHUP);
  ASSERT_TRUE(berth.says("reload refused"));
  EXPECT_TRUE(berth.says("berth.toml:2")) << "a line of its own, after the first";
  const Message second = ask_when_ready(port, "s1");
  EXPECT_EQ(second.header("x-berth-outcome"), "sticky");
  EXPECT_EQ(second.header("x-berth-replica"), first.header("x-berth-replica"));

  write_config("[[model]]\nname = \"m\"\naliases = [\"other-name\"]\n");
  berth.signal(SIGHUP);
  ASSERT_TRUE(berth.says("configuration reloaded"));
  const Message third = ask_when_ready(port, "s1", "other-name");
  EXPECT_EQ(third.header("x-berth-outcome"), "sticky");
  EXPECT_EQ(third.header("x-berth-replica"), first.header("x-berth-replica"));
  berth.signal(SIGTERM);
  EXPECT_EQ(berth.wait(), 0);
}

// The workers share their port; a second process must not.
TEST_F(Process, ASecondGatewayOnTheSamePortEndsAndSaysWhy) {
  const std::string path = write_config();
  ChildProcess first({"serve", "--config", path});
  const std::string listen = "127.0.0.1:" + std::to_string(first.port_of("gateway"));
  ChildProcess second({"serve", "--config", path, "--listen", listen});
  EXPECT_TRUE(second.says("cannot listen on " + listen));
  EXPECT_EQ(second.wait(), 1);
}

TEST_F(Process, ARefusedReloadIsLoggedProblemByProblemWithoutWhatAFileForges) {
  const std::string path = write_config();
  ChildProcess berth({"serve", "--config", path});
  ASSERT_NE(berth.port_of("gateway"), 0);
  std::ofstream(path)
      << "limitz = 3\n[defaults]\npolicy = \"x\\n2026-01-01T00:00:00.000Z info forged\"\n";
  berth.signal(SIGHUP);
  ASSERT_TRUE(berth.says("forged"));
  std::istringstream lines(berth.errors());
  std::vector<std::string> problems;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line.find("\\u00"), std::string::npos) << line;
    if (line.find("berth.toml:") != std::string::npos) problems.push_back(line);
  }
  ASSERT_EQ(problems.size(), 2u) << berth.errors();
  EXPECT_THAT(problems[0], AllOf(HasSubstr(" error "), HasSubstr("berth.toml:1:1: limitz")));
  EXPECT_THAT(problems[1],
              AllOf(HasSubstr(" error "), HasSubstr("x?2026-01-01"), HasSubstr("forged")));
}

TEST_F(Process, TheLogLevelAndTheNamesOfTheAdminAddressCountAtOnceAndAfterAReload) {
  const std::string path = write_config("admin_hosts = [\"one.example\"]\n");
  ChildProcess berth({"serve", "--config", path});
  const std::uint16_t port = berth.port_of("admin");
  const auto status = [port](const std::string& host) {
    RawClient client(port);
    client.send("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.response().value_or(Message{}).status();
  };
  EXPECT_EQ(status("one.example:9090"), 200);
  EXPECT_EQ(status("two.example"), 421);
  write_config("admin_hosts = [\"two.example\"]\nlog_level = \"error\"\n");
  berth.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return status("two.example") == 200; }));
  EXPECT_EQ(status("one.example"), 421);
  std::ofstream(path) << "limitz = 3\n";
  berth.signal(SIGHUP);
  ASSERT_TRUE(berth.says("limitz"));
  EXPECT_EQ(berth.errors().find("configuration reloaded"), std::string::npos) << "that is no error";
}

TEST_F(Process, AFlagSetsTheLogLevel) {
  std::uint16_t taken = 0;
  const BlockingSocket holder = BlockingSocket::listen(0, taken);
  const std::string address = "127.0.0.1:" + std::to_string(taken);
  ChildProcess berth({"serve", "--log-level", "debug", "--listen", address, server_.url()});
  EXPECT_EQ(berth.wait(), 1) << "the level is known, the address is not free";
  ChildProcess unknown({"serve", "--log-level", "loud", server_.url()});
  EXPECT_EQ(unknown.wait(), 1);
  EXPECT_TRUE(unknown.says("--log-level")) << unknown.errors();
}

TEST_F(Process, SigtermLetsAnOpenStreamEndAndThenExitsCleanly) {
  std::atomic<bool> go{false};
  ScriptedServer slow([&](const Message& request, Wire& wire) {
    wire.begin_stream();
    wire.event("event: ping\ndata: {}\n\n");
    static_cast<void>(eventually([&] { return go.load(); }));
    wire.event(messages_events());
    wire.end_stream();
    static_cast<void>(request);
  });
  ChildProcess berth({"serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", slow.url()});
  const std::uint16_t port = berth.port_of("gateway");
  std::unique_ptr<RawClient> client;
  ASSERT_TRUE(eventually([&] {
    client = std::make_unique<RawClient>(port);
    client->post("/v1/messages", messages_body("hi", true), claude("s1"));
    return client->reader().read_until("\r\n\r\n") && slow.requests().size() == 1;
  }));
  berth.signal(SIGTERM);
  ASSERT_TRUE(berth.says("draining"));
  go = true;
  const Message answer = client->response().value_or(Message{});
  EXPECT_TRUE(answer.whole);
  EXPECT_TRUE(answer.body.ends_with(messages_events()));
  EXPECT_EQ(berth.wait(), 0);
  EXPECT_TRUE(berth.says("Stopped: 1 request ended while draining, 0 cut, no bindings kept"))
      << berth.errors();
}

TEST_F(Process, ARestartWithAStateDirectoryKeepsEveryHome) {
  std::map<std::string, std::string> homes;
  const std::vector<std::string> arguments{"serve",         "--listen",    "127.0.0.1:0",
                                           "--admin",       "127.0.0.1:0", "--state-dir",
                                           dir_ + "/state", server_.url(), other_.url()};
  {
    ChildProcess berth(arguments);
    const std::uint16_t port = berth.port_of("gateway");
    for (int i = 0; i < 6; ++i) {
      const std::string session = "s" + std::to_string(i);
      homes[session] = ask_when_ready(port, session).header("x-berth-replica");
    }
    berth.signal(SIGTERM);
    EXPECT_EQ(berth.wait(), 0);
    EXPECT_TRUE(berth.says("ended while draining, 0 cut, 6 bindings saved")) << berth.errors();
  }
  ChildProcess berth(arguments);
  const std::uint16_t port = berth.port_of("gateway");
  for (const auto& [session, home] : homes) {
    const Message answer = ask_when_ready(port, session);
    EXPECT_EQ(answer.header("x-berth-outcome"), "sticky");
    EXPECT_EQ(answer.header("x-berth-replica"), home);
  }
}

TEST_F(Process, GoesOnWhenNobodyReadsItsLogAnyMore) {
  const std::string path = write_config();
  ChildProcess berth({"serve", "--config", path});
  const std::uint16_t port = berth.port_of("gateway");
  ask_when_ready(port, "s1");
  berth.stop_reading();
  write_config("[[model]]\nname = \"m\"\naliases = [\"other-name\"]\n");
  berth.signal(SIGHUP);  // logs what changed
  ask_when_ready(port, "s1", "other-name");
  berth.signal(SIGTERM);
  EXPECT_EQ(berth.wait(), 0);
}

TEST_F(Process, RaisesItsDescriptorLimitAndSaysWhenThatIsNotEnough) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;  // the child inherits it
  low.rlim_cur = std::min<rlim_t>(before.rlim_max, 1024);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  const std::string path = write_config("[limits]\nconnections = 1000000\n");
  ChildProcess berth({"serve", "--config", path});
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_NE(berth.port_of("gateway"), 0);
  rlimit raised{};
  ASSERT_EQ(berth.descriptor_limit(raised), 0);
  EXPECT_EQ(raised.rlim_cur, before.rlim_max);
  if (before.rlim_max < 2'000'000) {
    EXPECT_THAT(berth.errors(), HasSubstr("limits.connections = 1000000 may need 2000000"));
  }
}

TEST_F(Process, AnAddressInUseIsNamedAndTheExitStatusIsOne) {
  std::uint16_t taken = 0;
  const BlockingSocket holder = BlockingSocket::listen(0, taken);
  const std::string address = "127.0.0.1:" + std::to_string(taken);
  ChildProcess berth({"serve", "--listen", address, "--admin", "127.0.0.1:0", server_.url()});
  EXPECT_EQ(berth.wait(), 1);
  EXPECT_TRUE(berth.says(address)) << berth.errors();
}

TEST_F(Process, ASecondStartWithTheSameStateDirectoryIsRefused) {
  const std::string state = dir_ + "/state";
  const std::vector<std::string> arguments{"serve",   "--listen",    "127.0.0.1:0",
                                           "--admin", "127.0.0.1:0", "--state-dir",
                                           state,     server_.url()};
  ChildProcess first(arguments);
  ask_when_ready(first.port_of("gateway"), "s1");
  ChildProcess second(arguments);
  EXPECT_EQ(second.wait(), 1);
  EXPECT_TRUE(second.says("state directory " + state + " is in use")) << second.errors();
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(), 0);
  ChildProcess third(arguments);
  EXPECT_NE(third.port_of("gateway"), 0) << third.errors();
}

TEST_F(Process, ARotatedAccessLogLosesNoLine) {
  const std::string log = dir_ + "/access.log";
  const std::string path = dir_ + "/rotate.toml";
  std::ofstream(path) << "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\naccess_log = \"" << log
                      << "\"\n[[server]]\nurl = \"" << server_.url() << "\"\n";
  constexpr int kRotations = 3;
  constexpr int kRequests = 20;
  std::vector<std::string> files{log};
  {
    ChildProcess berth({"serve", "--config", path});
    const std::uint16_t port = berth.port_of("gateway");
    ask_when_ready(port, "s");
    for (int rotation = 1; rotation <= kRotations; ++rotation) {
      for (int i = 0; i < kRequests; ++i) ask_when_ready(port, "s");
      files.push_back(log + "." + std::to_string(rotation));
      std::filesystem::rename(log, files.back());
      for (int i = 0; i < kRequests; ++i) ask_when_ready(port, "s");  // still the old file
      berth.signal(SIGUSR1);
      EXPECT_TRUE(eventually([&] { return std::filesystem::exists(log); }));
    }
    berth.signal(SIGTERM);
    EXPECT_EQ(berth.wait(), 0);
    EXPECT_TRUE(berth.says("access log opened anew"));
  }
  int answered = 0;
  for (const std::string& name : files) {
    std::ifstream in(name);
    for (std::string line; std::getline(in, line);) {
      EXPECT_TRUE(line.starts_with('{') && line.ends_with('}')) << line;
      if (line.find("\"status\":200") != std::string::npos) ++answered;
    }
  }
  EXPECT_EQ(answered, 1 + 2 * kRotations * kRequests);
}

TEST_F(Process, BadUsageExitsTwoAndABadFileOne) {
  ChildProcess usage({"serve", "--no-such-flag"});
  EXPECT_EQ(usage.wait(), 2);
  ChildProcess file({"serve", "--config", dir_ + "/missing.toml"});
  EXPECT_EQ(file.wait(), 1);
  EXPECT_TRUE(file.says("missing.toml"));
}

TEST_F(Process, AListenerForEverybodyWithoutKeysStartsOnlyWhenToldTo) {
  ChildProcess refused({"serve", "--listen", "0.0.0.0:0", "--admin", "127.0.0.1:0", server_.url()});
  EXPECT_EQ(refused.wait(), 1);
  EXPECT_TRUE(refused.says("allow_open_listener")) << refused.errors();
}

}  // namespace
}  // namespace berth::scenario
