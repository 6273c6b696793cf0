// A reload counts for the next request, also on a connection that was open before.
#include <gtest/gtest.h>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

class OpenConnection : public ::testing::Test {
 protected:
  OpenConnection()
      : server_(answer_messages), gateway_({server_.url()}, 1), client_(gateway_.port()) {
    EXPECT_EQ(ask().status(), 200);
  }
  Message ask() {
    const std::string text(2000, 'x');
    return client_.ask("/v1/messages", messages_body(text, false), claude("s"));
  }

  ScriptedServer server_;
  RunningGateway gateway_;
  RawClient client_;
};

TEST_F(OpenConnection, ASmallerBodyLimitHoldsForTheNextRequestOfAnOpenConnection) {
  gateway_.reload([](config::Config& config) { config.limits.body_bytes = 1000; });
  EXPECT_EQ(ask().status(), 413);
}

TEST_F(OpenConnection, ALargerHeadLimitHoldsForTheNextRequestOfAnOpenConnection) {
  gateway_.reload([](config::Config& config) { config.limits.head_bytes = 256 * 1024; });
  client_.post("/v1/messages", messages_body("hi", false),
               {{"x-long", std::string(100 * 1024, 'x')}});
  EXPECT_EQ(client_.response().value_or(Message{}).status(), 200);
}

TEST_F(OpenConnection, TheTimesOfABodyHoldForTheNextRequestOfAnOpenConnection) {
  gateway_.reload(
      [](config::Config& config) { config.timeouts.client_body = std::chrono::milliseconds(50); });
  client_.send("POST /v1/messages HTTP/1.1\r\nHost: b\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(client_.response().value_or(Message{}).status(), 408);
}

TEST_F(OpenConnection, AConnectionThatIsIdleForTooLongIsNoFailedRequest) {
  gateway_.reload(
      [](config::Config& config) { config.timeouts.client_idle = std::chrono::milliseconds(50); });
  EXPECT_EQ(ask().status(), 200);  // the next wait is under the new time
  EXPECT_TRUE(client_.socket().peer_left());
  EXPECT_NE(gateway_->metrics_text().find(R"(berth_errors_total{code="request_timeout"} 0)"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::scenario
