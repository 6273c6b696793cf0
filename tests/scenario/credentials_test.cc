// Keys: the client's, the engine's, and that neither is ever where it should not be.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

// SHA-256 of "client-secret".
constexpr const char* kClientDigest =
    "fdce8e4a65b70d186bd77cba2e0c580dcf1c6497da9f1b70eed849497e1f8ba2";

class Credentials : public ::testing::Test {
 protected:
  Credentials() : server_(answer_messages) {
    server_.require_key("engine-secret");
    config_.access_log = log_;
    config::Server server;
    server.url = server_.url();
    server.api_key = config::Secret{"engine-secret"};
    config_.servers.push_back(server);
    config_.client_keys.push_back({"team-a", kClientDigest});
  }
  std::string log_text() const {
    std::stringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }

  ScriptedServer server_;
  std::string log_ =
      ::testing::TempDir() + "berth-credentials-" + std::to_string(::getpid()) + ".log";
  config::Config config_ = RunningGateway::defaults();
};

TEST_F(Credentials, EitherHeaderOpensBerthAndOnlyTheEnginesKeyGoesOn) {
  RunningGateway gateway({server_.url()}, 1, config_);
  RawClient client(gateway.port());
  const HeaderList bearer{{"Authorization", "Bearer client-secret"}};
  const HeaderList api_key{{"x-api-key", "client-secret"}};
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", true), bearer).status(), 200);
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", true), api_key).status(), 200);
  for (const Message& request : server_.requests()) {
    EXPECT_EQ(request.header("authorization"), "Bearer engine-secret");
    EXPECT_EQ(request.header("x-api-key"), "");
    EXPECT_EQ(request.head.find("client-secret"), std::string::npos);
  }
}

TEST_F(Credentials, AWrongKeyIs401InTheShapeOfTheApiAndReachesNoEngine) {
  RunningGateway gateway({server_.url()}, 1, config_);
  RawClient client(gateway.port());
  const HeaderList wrong{{"x-api-key", "guess"}};
  const Message anthropic = client.ask("/v1/messages", messages_body("hi", true), wrong);
  EXPECT_EQ(anthropic.status(), 401);
  EXPECT_NE(anthropic.body.find(R"("type":"authentication_error")"), std::string::npos)
      << anthropic.body;
  RawClient second(gateway.port());
  const Message openai =
      second.ask("/v1/chat/completions", R"({"model":"m","messages":[]})", wrong);
  EXPECT_EQ(openai.status(), 401);
  EXPECT_NE(openai.body.find(R"("code":"unauthorized")"), std::string::npos) << openai.body;
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(Credentials, NoKeyIsEverLogged) {
  {
    RunningGateway gateway({server_.url()}, 1, config_);
    RawClient client(gateway.port());
    client.ask("/v1/messages", messages_body("hi", true), {{"x-api-key", "client-secret"}});
    RawClient second(gateway.port());
    second.ask("/v1/messages", messages_body("hi", true), {{"x-api-key", "guess-secret"}});
    EXPECT_TRUE(gateway.settles());
  }
  const std::string log = log_text();
  EXPECT_NE(log.find("team-a"), std::string::npos) << log;
  EXPECT_EQ(log.find("secret"), std::string::npos) << log;
  std::remove(log_.c_str());
}

}  // namespace
}  // namespace berth::scenario
