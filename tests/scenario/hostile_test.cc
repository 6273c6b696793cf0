// Bytes that want to be misunderstood, and clients that want too much, against the live port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/framing_cases.h"
#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using ::testing::HasSubstr;

config::Config impatient() {
  config::Config config = RunningGateway::defaults();
  config.timeouts.client_head = std::chrono::milliseconds(200);
  config.timeouts.client_body = std::chrono::milliseconds(200);
  return config;
}

// The two legal requests carry a body that is no JSON: the framing is accepted when Berth complains
// about the body and goes on to serve the next request of the same connection.
TEST(Framing, OnTheLivePortOnlyTheLegalRequestsOfTheTableAreAccepted) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1, impatient());
  std::size_t accepted = 0;
  std::size_t served = 0;
  for (const http::FramingCase& one :
       http::read_framing_cases(BERTH_SOURCE_DIR "/tests/framing/cases.txt")) {
    SCOPED_TRACE(one.name);
    RawClient client(gateway.port());
    client.send(one.bytes);
    const Message answer = client.response().value_or(Message{});
    if (one.refused_with != 0) {
      EXPECT_EQ(answer.status(), one.refused_with) << answer.body;
      EXPECT_TRUE(client.socket().peer_left());
      continue;
    }
    ++accepted;
    EXPECT_THAT(answer.body, HasSubstr("bad_json"));
    if (answer.header("connection") == "close") continue;  // HTTP/1.0
    EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", false), claude("s")).status(), 200);
    ++served;
  }
  EXPECT_GE(accepted, 2u);
  EXPECT_EQ(server.requests().size(),
            served);  // nothing of a refused request ever reached the engine
}

TEST(Hostile, ABodyOverTheLimitIsRefusedBeforeItIsRead) {
  ScriptedServer server(answer_messages);
  config::Config config = RunningGateway::defaults();
  config.limits.body_bytes = 1000;
  RunningGateway gateway({server.url()}, 1, config);
  RawClient client(gateway.port());
  client.send("POST /v1/messages HTTP/1.1\r\nHost: b\r\nContent-Length: 1001\r\n\r\n");
  const Message answer = client.response().value_or(Message{});
  EXPECT_EQ(answer.status(), 413);
  EXPECT_THAT(answer.body, HasSubstr("body_bytes"));
  EXPECT_TRUE(client.socket().peer_left());
}

TEST(Hostile, AChunkedBodyOverTheLimitIsRefusedWhenItGetsThere) {
  ScriptedServer server(answer_messages);
  config::Config config = RunningGateway::defaults();
  config.limits.body_bytes = 1000;
  RunningGateway gateway({server.url()}, 1, config);
  RawClient client(gateway.port());
  client.send("POST /v1/messages HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" +
              std::string(2000, ' '));
  EXPECT_EQ(client.response().value_or(Message{}).status(), 413);
}

TEST(Hostile, ABodyThatNeverComesTimesOut) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1, impatient());
  RawClient client(gateway.port());
  client.send("POST /v1/messages HTTP/1.1\r\nHost: b\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(client.response().value_or(Message{}).status(), 408);
  EXPECT_TRUE(client.socket().peer_left());
}

// What a client announces takes nothing of the budget all bodies share; what it sends does.
TEST(Hostile, ClientsThatAnnounceMuchAndSendNothingTakeNoRoomFromOthers) {
  ScriptedServer server(answer_messages);
  config::Config config = RunningGateway::defaults();
  config.limits.body_bytes = 1024 * 1024;
  config.limits.body_bytes_in_memory = 1024 * 1024;
  RunningGateway gateway({server.url()}, 1, config);
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 16; ++i) {
    silent.push_back(std::make_unique<RawClient>(gateway.port()));
    silent.back()->send(
        "POST /v1/messages HTTP/1.1\r\nHost: b\r\nExpect: 100-continue\r\n" +
        std::string(i % 2 == 0 ? "Content-Length: 1000000" : "Transfer-Encoding: chunked") +
        "\r\n\r\n");
    ASSERT_TRUE(silent.back()->reader().read_until("100 Continue"));  // its body is being read
  }
  RawClient client(gateway.port());
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", false), claude("s")).status(), 200);
}

TEST(Hostile, BodiesThatFillTheBudgetAreRefusedAndGiveItBack) {
  std::atomic<bool> go{false};
  ScriptedServer server([&](const Message& request, Wire& wire) {
    static_cast<void>(eventually([&] { return go.load(); }));
    answer_messages(request, wire);
  });
  config::Config config = RunningGateway::defaults();
  config.limits.body_bytes_in_memory = 256 * 1024;
  RunningGateway gateway({server.url()}, 1, config);
  const std::string large = messages_body(std::string(200 * 1024, 'x'), false);
  RawClient first(gateway.port());
  first.post("/v1/messages", large, claude("s1"));
  ASSERT_TRUE(eventually([&] { return server.requests().size() == 1; }));
  RawClient second(gateway.port());
  const Message refused = second.ask("/v1/messages", large, claude("s2"));
  EXPECT_EQ(refused.status(), 503);
  EXPECT_THAT(refused.body, HasSubstr("body_bytes_in_memory"));
  EXPECT_NE(refused.header("retry-after"), "");
  go = true;
  EXPECT_EQ(first.response().value_or(Message{}).status(), 200);
  RawClient third(gateway.port());
  EXPECT_EQ(third.ask("/v1/messages", large, claude("s3")).status(), 200);
}

TEST(Hostile, WhatBerthDoesNotServeIsRefusedByDefault) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1);
  for (const char* line :
       {"POST /pause", "GET /metrics", "POST /v1/load_lora_adapter", "GET /v1/messages/x",
        "POST /v1/messages/../../pause", "POST /v1/../pause", "POST //v1/messages", "GET /"}) {
    SCOPED_TRACE(line);
    RawClient client(gateway.port());
    client.send(std::string(line) + " HTTP/1.1\r\nHost: b\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(client.response().value_or(Message{}).status(), 404);
  }
  RawClient client(gateway.port());
  client.send("GET /v1/messages HTTP/1.1\r\nHost: b\r\n\r\n");
  const Message answer = client.response().value_or(Message{});
  EXPECT_EQ(answer.status(), 405);
  EXPECT_EQ(answer.header("allow"), "POST");
  EXPECT_TRUE(server.requests().empty());
}

TEST(Hostile, ProbesAndTheModelListAreAnswered) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1);
  for (const char* target : {"/", "/api/hello"}) {
    RawClient client(gateway.port());
    client.send(std::string("HEAD ") + target + " HTTP/1.1\r\nHost: b\r\n\r\n");
    EXPECT_THAT(client.reader().read_head().value_or(""), HasSubstr(" 200 "));
  }
  RawClient client(gateway.port());
  client.send("GET /v1/models?limit=1000 HTTP/1.1\r\nHost: b\r\n\r\n");
  const Message answer = client.response().value_or(Message{});
  EXPECT_EQ(answer.status(), 200);
  EXPECT_THAT(answer.body, HasSubstr(R"("id":"m")"));
}

TEST(Hostile, AnUnknownModelIsNamedTogetherWithTheOnesThatAreServed) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1);
  RawClient client(gateway.port());
  const Message answer =
      client.ask("/v1/messages", messages_body("hi", true, "gpt-9"), claude("s"));
  EXPECT_EQ(answer.status(), 404);
  EXPECT_THAT(answer.body, HasSubstr("gpt-9"));
  EXPECT_THAT(answer.body, HasSubstr(R"(\"m\")"));
}

TEST(Hostile, MoreConnectionsThanTheLimitAreClosedAndTheRestServed) {
  ScriptedServer server(answer_messages);
  config::Config config = RunningGateway::defaults();
  config.limits.connections = 4;
  config.threads = 1;
  RunningGateway gateway({server.url()}, 1, config);
  std::vector<std::unique_ptr<RawClient>> held;
  for (int i = 0; i < 4; ++i) {
    held.push_back(std::make_unique<RawClient>(gateway.port()));
    EXPECT_EQ(held.back()->ask("/v1/messages", messages_body("hi", false), claude("s")).status(),
              200);
  }
  RawClient fifth(gateway.port());
  EXPECT_TRUE(fifth.socket().peer_left());
  EXPECT_EQ(held.front()->ask("/v1/messages", messages_body("hi", false), claude("s")).status(),
            200);
}

TEST(Hostile, AnExpectingClientIsToldToContinue) {
  ScriptedServer server(answer_messages);
  RunningGateway gateway({server.url()}, 1);
  RawClient client(gateway.port());
  const std::string body = messages_body("hi", false);
  client.send("POST /v1/messages HTTP/1.1\r\nHost: b\r\nExpect: 100-continue\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_THAT(client.reader().read_head().value_or(""), HasSubstr("100 Continue"));
  client.send(body);
  EXPECT_EQ(client.response().value_or(Message{}).status(), 200);
  EXPECT_EQ(server.requests().at(0).header("expect"), "");
}

TEST(Hostile, AnUpstreamThatSendsMoreThanItPromisedIsNotReused) {
  ScriptedServer server([](const Message&, Wire& wire) {
    wire.send(
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: "
        "6\r\n\r\nstolen");
  });
  RunningGateway gateway({server.url()}, 1);
  RawClient client(gateway.port());
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", false), claude("s")).body, "{}");
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", false), claude("s")).body, "{}");
  EXPECT_EQ(server.connections(), 2u);
}

TEST(Hostile, AResponseThatCannotBeFramedIsA502AndEndsTheUpstreamConnection) {
  ScriptedServer server([](const Message&, Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}");
  });
  RunningGateway gateway({server.url()}, 1);
  RawClient client(gateway.port());
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", false), claude("s")).status(), 502);
  EXPECT_TRUE(gateway.settles());
}

}  // namespace
}  // namespace berth::scenario
