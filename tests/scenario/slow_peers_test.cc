// Peers that are slow, or break off where only the connection says so.
#include <gmock/gmock.h>

#include <thread>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SlowPeers, AHeadInDripsDoesNotPutTheTimeoutOff) {
  ScriptedServer a([](const Message&, Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\nx-slow: ");
    constexpr int kMostDrips = 400;
    for (int i = 0; i < kMostDrips && wire.send("a"); ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    wire.close();
  });
  config::Config config = RunningGateway::defaults();
  config.timeouts.upstream_first_byte = milliseconds(300);
  RunningGateway gateway({a.url()}, 1, config);
  RawClient client(gateway.port());
  const Message answer = client.ask("/v1/messages", messages_body("one", true), claude("s"));
  EXPECT_EQ(answer.status(), 504) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("code":"upstream_timeout")"));
  EXPECT_TRUE(gateway.settles());
}

// HTTP/1.0 has no chunks: its stream ends with the connection, whole or not.
class OldClient : public ::testing::Test {
 protected:
  std::string read_stream(ScriptedServer& server) {
    RunningGateway gateway({server.url()}, 1);
    RawClient client(gateway.port());
    const std::string body = messages_body("one", true);
    client.send(
        "POST /v1/messages HTTP/1.0\r\nhost: x\r\ncontent-type: application/json\r\n"
        "content-length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
    std::string all;
    for (std::string piece = client.socket().receive(); !piece.empty();
         piece = client.socket().receive()) {
      all += piece;
    }
    was_reset_ = client.socket().was_reset();
    EXPECT_TRUE(gateway.settles());
    return all;
  }

  bool was_reset_ = false;
};

TEST_F(OldClient, SeesAWholeStreamEnd) {
  ScriptedServer a([](const Message&, Wire& wire) {
    wire.begin_stream();
    wire.event("event: message_start\ndata: {}\n\n");
    wire.end_stream();
  });
  EXPECT_THAT(read_stream(a), HasSubstr("message_start"));
  EXPECT_FALSE(was_reset_);
}

TEST_F(OldClient, SeesABrokenStreamReset) {
  ScriptedServer a([](const Message&, Wire& wire) {
    wire.begin_stream();
    wire.event("event: message_start\ndata: {}\n\n");
    wire.close();
  });
  EXPECT_THAT(read_stream(a), Not(HasSubstr("error")));
  EXPECT_TRUE(was_reset_);
}

}  // namespace
}  // namespace berth::scenario
