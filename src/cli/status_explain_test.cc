// berth status and berth explain against a live admin server.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/commands.h"
#include "console/admin_thread.h"
#include "console/fake_source.h"
#include "console/json.h"

namespace berth::cli {
namespace {

using console::FakeSource;
using console::Json;

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

Outcome berth(std::vector<std::string> arguments) {
  CLI::App app;
  app.require_subcommand(1);
  Outcome outcome;
  add_status(app, outcome.status);
  add_explain(app, outcome.status);
  std::reverse(arguments.begin(), arguments.end());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  app.parse(arguments);
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

class LiveAdmin : public ::testing::Test {
 protected:
  LiveAdmin() { source_.sessions["s1"] = {FakeSource::conversation(clock_.now())}; }

  ManualClock clock_;
  FakeSource source_ = FakeSource::two_ranks(clock_.now());
  console::AdminThread admin_{source_, clock_};
};

TEST_F(LiveAdmin, StatusPrintsTheTable) {
  const Outcome outcome = berth({"status", "--admin", admin_.url()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("sticky share 97.3%"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("gpu0:8000#1"), std::string::npos);
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);  // a pipe gets no colour
}

TEST_F(LiveAdmin, TheAddressMayComeWithoutScheme) {
  const std::string address = "127.0.0.1:" + std::to_string(admin_.port());
  const Outcome status = berth({"status", "--admin", address});
  EXPECT_EQ(status.status, 0) << status.err;
  const Outcome explain = berth({"explain", "--admin", address, "s1"});
  EXPECT_EQ(explain.status, 0) << explain.err;
}

TEST_F(LiveAdmin, StatusAsJsonIsTheSnapshot) {
  const Outcome outcome = berth({"status", "--json", "--admin", admin_.url()});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(Json::parse(outcome.out)["models"][0]["replicas"].size(), 2u);
}

TEST_F(LiveAdmin, TheAddressMayComeFromTheEnvironment) {
  setenv("BERTH_ADMIN_URL", admin_.url().c_str(), 1);
  const Outcome outcome = berth({"status"});
  unsetenv("BERTH_ADMIN_URL");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(LiveAdmin, ExplainTellsAKnownSession) {
  const Outcome outcome = berth({"explain", "--admin", admin_.url(), "s1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Home: gpu0:8000#0"), std::string::npos) << outcome.out;
  const Outcome json = berth({"explain", "--json", "--admin", admin_.url(), "s1"});
  EXPECT_EQ(Json::parse(json.out)["conversations"][0]["home"]["label"], "gpu0:8000#0");
}

TEST_F(LiveAdmin, ExplainOfAnUnknownSessionFails) {
  const Outcome outcome = berth({"explain", "--admin", admin_.url(), "other"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("No conversation of this session"), std::string::npos) << outcome.err;
}

TEST(NoAdmin, AnUnreachableAddressFailsAndIsNamed) {
  std::string url;
  {
    ManualClock clock;
    FakeSource source;
    url = console::AdminThread(source, clock).url();  // a port that was free a moment ago
  }
  for (const auto& command : {std::vector<std::string>{"status"}, {"explain", "s1"}}) {
    auto arguments = command;
    arguments.insert(arguments.begin() + 1, {"--admin", url});
    const Outcome outcome = berth(arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find(url), std::string::npos) << outcome.err;
  }
}

TEST(NoAdmin, ABadAddressFailsAndIsNamed) {
  for (const char* url : {"localhost", "ftp://localhost:1", "https://127.0.0.1:9090"}) {
    const Outcome outcome = berth({"status", "--admin", url});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find(url), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace berth::cli
