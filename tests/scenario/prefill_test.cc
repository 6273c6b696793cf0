// vLLM sends the head of a stream before it queues the request. What counts as work done, and which
// limit holds, turns at the first event that needs the prompt to have been read.
#include <gtest/gtest.h>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

constexpr const char* kMessageStart =
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n";

std::uint32_t turns_of(RunningGateway& gateway, const std::string& session) {
  std::uint32_t turns = 0;
  for (const auto& one : gateway->explain(session)) turns += one.explanation.turns;
  return turns;
}

// Asks, waits for `seen` and leaves; answers how many turns that left behind.
std::uint32_t turns_after_leaving_at(const std::string& seen, ScriptedServer::Script script) {
  ScriptedServer server(std::move(script));
  RunningGateway gateway({server.url()}, 1);
  {
    RawClient client(gateway.port());
    client.post("/v1/messages", messages_body("hi", true), claude("s"));
    EXPECT_TRUE(client.reader().read_until(seen));
  }
  EXPECT_TRUE(gateway.settles());
  return turns_of(gateway, "s");
}

TEST(Prefill, AClientThatLeavesAfterTheHeadLeavesNothingInTheCache) {
  EXPECT_EQ(turns_after_leaving_at("\r\n\r\n",
                                   [](const Message&, Wire& wire) {
                                     wire.begin_stream();
                                     static_cast<void>(wire.gateway_left());
                                   }),
            0u);
}

TEST(Prefill, APingIsNoSignOfIt) {
  EXPECT_EQ(turns_after_leaving_at("event: ping",
                                   [](const Message&, Wire& wire) {
                                     wire.begin_stream();
                                     wire.event("event: ping\ndata: {\"type\":\"ping\"}\n\n");
                                     static_cast<void>(wire.gateway_left());
                                   }),
            0u);
}

TEST(Prefill, AClientThatLeavesAfterTheFirstEventLeavesItsPromptThere) {
  EXPECT_EQ(turns_after_leaving_at("event: message_start",
                                   [](const Message&, Wire& wire) {
                                     wire.begin_stream();
                                     wire.event(kMessageStart);
                                     static_cast<void>(wire.gateway_left());
                                   }),
            1u);
}

TEST(Prefill, AClientThatLeavesWithinAnErrorWasNotServed) {
  EXPECT_EQ(turns_after_leaving_at("{\"error\"",
                                   [](const Message&, Wire& wire) {
                                     wire.send(
                                         "HTTP/1.1 400 Bad Request\r\nContent-Length: "
                                         "1000\r\n\r\n{\"error\"");
                                     static_cast<void>(wire.gateway_left());
                                   }),
            0u);
}

TEST(Prefill, TheQueueOfTheEngineMayTakeLongerThanASilenceInsideAnAnswer) {
  std::atomic<bool> go{false};
  ScriptedServer queueing([&](const Message& request, Wire& wire) {
    wire.begin_stream();
    if (request.body.find("witness") != std::string::npos) {
      wire.event(kMessageStart);
      static_cast<void>(wire.gateway_left());
      return;
    }
    static_cast<void>(eventually([&] { return go.load(); }));
    wire.event(messages_events());
    wire.end_stream();
  });
  config::Config config = RunningGateway::defaults();
  config.timeouts.upstream_idle = std::chrono::milliseconds(50);
  RunningGateway gateway({queueing.url()}, 1, config);
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(client.reader().read_until("\r\n\r\n"));
  // A stream that began later, and that is cut for its silence, shows how much time has passed.
  RawClient witness(gateway.port());
  const Message cut = witness.ask("/v1/messages", messages_body("witness", true), claude("w"));
  EXPECT_FALSE(cut.whole);
  EXPECT_EQ(cut.body, kMessageStart);
  go = true;
  const Message answer = client.response().value_or(Message{});
  EXPECT_TRUE(answer.whole);
  EXPECT_EQ(answer.body, messages_events());
}

TEST(Prefill, TheLimitForTheFirstByteHoldsUntilTheFirstEvent) {
  ScriptedServer silent([](const Message&, Wire& wire) {
    wire.begin_stream();
    static_cast<void>(wire.gateway_left());
  });
  config::Config config = RunningGateway::defaults();
  config.timeouts.upstream_first_byte = std::chrono::milliseconds(50);
  RunningGateway gateway({silent.url()}, 1, config);
  RawClient client(gateway.port());
  const Message answer = client.ask("/v1/messages", messages_body("hi", true), claude("s"));
  EXPECT_EQ(answer.status(), 200);
  EXPECT_FALSE(answer.whole);
  EXPECT_TRUE(gateway.settles());
  EXPECT_EQ(turns_of(gateway, "s"), 0u);
}

}  // namespace
}  // namespace berth::scenario
