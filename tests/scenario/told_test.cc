// What Berth tells of a request: its id, the status that was sent, times, and the date of its own
// answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class Told : public ::testing::Test {
 protected:
  Told() {
    std::string pattern = ::testing::TempDir() + "berth-told-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
    config_.access_log = dir_ + "/access.log";
  }
  ~Told() override { std::filesystem::remove_all(dir_); }

  // The line of the only request.
  std::string line() const {
    std::string text;
    EXPECT_TRUE(eventually([&] {
      std::ifstream file(dir_ + "/access.log");
      text.assign(std::istreambuf_iterator<char>(file), {});
      return text.ends_with('\n');
    }));
    return text;
  }

  std::string dir_;
  config::Config config_ = RunningGateway::defaults();
};

TEST_F(Told, TheIdOfARequestComesBackAndIsTheLogs) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1, config_);
  RawClient client(gateway.port());
  HeaderList headers = claude("s");
  headers.emplace_back("x-request-id", "mine-1");
  const Message answer = client.ask("/v1/messages", messages_body("hi", true), headers);
  EXPECT_EQ(answer.header("x-berth-request-id"), "mine-1");
  EXPECT_THAT(line(), HasSubstr(R"("id":"mine-1")"));
  EXPECT_EQ(server.requests().at(0).header("x-berth-request-id"), "");
}

TEST_F(Told, TheIdOfARefusalStandsInItsHeadAndInAnAnthropicBody) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1, config_);
  RawClient client(gateway.port());
  const Message refused = client.ask("/v1/messages", R"({"model":"other"})", claude("s"));
  const std::string id = refused.header("x-berth-request-id");
  EXPECT_EQ(refused.status(), 404);
  ASSERT_FALSE(id.empty());
  EXPECT_THAT(refused.body, HasSubstr(R"("request_id":")" + id + '"'));
  EXPECT_THAT(line(), HasSubstr(R"("id":")" + id + '"'));
  const Message local = client.ask("/nowhere", "{}");
  EXPECT_NE(local.header("x-berth-request-id"), "");
  EXPECT_NE(local.header("x-berth-request-id"), id);
}

TEST_F(Told, TheFirstTokenOnlyOfAStream) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1, config_);
  RawClient client(gateway.port());
  client.ask("/v1/messages", messages_body("hi", false), claude("s"));
  EXPECT_THAT(line(), HasSubstr(R"("ttfb_s":null)"));
  EXPECT_THAT(gateway->metrics_text(), HasSubstr(R"(berth_ttfb_seconds_count{model="m"} 0)"));
  client.ask("/v1/messages", messages_body("hi", true), claude("s"));
  EXPECT_TRUE(eventually([&] {
    return gateway->metrics_text().find(R"(berth_ttfb_seconds_count{model="m"} 1)") !=
           std::string::npos;
  }));
}

TEST_F(Told, TheStatusThatWasSentAndBesideItTheReplicasOwn) {
  std::atomic<bool> go{false};
  ScriptedServer server([&](const Message&, Wire& wire) {
    static_cast<void>(eventually([&] { return go.load(); }));
    wire.reply(400, R"({"error":{"message":"prompt is too long"}})");
  });
  config_.timeouts.keep_alive_after = std::chrono::milliseconds(20);
  RunningGateway gateway({server.url()}, 1, config_);
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(client.reader().read_until("event: ping"));
  go = true;
  const Message answer = client.response().value_or(Message{});
  const std::string id = answer.header("x-berth-request-id");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_NE(answer.header("date"), "");
  EXPECT_THAT(answer.body, HasSubstr(R"("request_id":")" + id + '"'));
  EXPECT_THAT(line(), HasSubstr(R"("status":200,"upstream_status":400)"));
  EXPECT_THAT(gateway->metrics_text(),
              HasSubstr(R"(berth_responses_total{model="m",code="2xx"} 1)"));
}

TEST_F(Told, TheSameStatusOnlyOnce) {
  ScriptedServer server([](const Message&, Wire& wire) { wire.reply(429, "{}"); });
  RunningGateway gateway({server.url()}, 1, config_);
  RawClient client(gateway.port());
  client.ask("/v1/messages", messages_body("hi", true), claude("s"));
  EXPECT_THAT(line(), HasSubstr(R"("status":429,"upstream_status":null)"));
}

TEST_F(Told, TheDateOfAnswersOfBerthsOwnAndNoneForTheEngines) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1, config_);
  RawClient client(gateway.port());
  EXPECT_THAT(client.ask("/v1/messages", "{", claude("s")).header("date"), EndsWith(" GMT"));
  EXPECT_THAT(client.ask("/nowhere", "{}").header("date"), EndsWith(" GMT"));
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", true), claude("s")).header("date"), "");
}

}  // namespace
}  // namespace berth::scenario
