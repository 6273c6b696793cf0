// Silence is bridged with events of the API's own shape; what fails after that fails inside the
// stream.
#include <gtest/gtest.h>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

config::Config eager() {
  config::Config config = RunningGateway::defaults();
  config.timeouts.keep_alive_after = std::chrono::milliseconds(20);
  return config;
}

// Answers only after the client has shown that a keep-alive reached it.
class Held {
 public:
  explicit Held(ScriptedServer::Script then)
      : server([this, then](const Message& request, Wire& wire) {
          static_cast<void>(eventually([&] { return go.load(); }));
          then(request, wire);
        }) {}
  std::atomic<bool> go{false};
  ScriptedServer server;
};

// One error of that code is in berth_errors_total.
bool counts(RunningGateway& gateway, const std::string& code) {
  const std::string line = "berth_errors_total{code=\"" + code + "\"} 1\n";
  return gateway->metrics_text().find(line) != std::string::npos;
}

TEST(KeepAlive, AStreamingRequestIsKeptAliveAndThenServedWhole) {
  Held held(answer_messages);
  RunningGateway gateway({held.server.url()}, 1, eager());
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(client.reader().read_until("event: ping"));
  held.go = true;
  const Message answer = client.response().value_or(Message{});
  EXPECT_TRUE(answer.whole);
  EXPECT_TRUE(answer.body.starts_with("event: ping\n"));
  EXPECT_TRUE(answer.body.ends_with(messages_events()));
  EXPECT_EQ(answer.header("x-berth-outcome"), "placed");
  EXPECT_TRUE(gateway.settles());
}

TEST(KeepAlive, ANonStreamingRequestGetsNone) {
  Held held(answer_messages);
  RunningGateway gateway({held.server.url()}, 1, eager());
  RawClient streaming(gateway.port());
  RawClient plain(gateway.port());
  plain.post("/v1/messages", messages_body("hi", false), claude("s"));
  ASSERT_TRUE(eventually([&] { return held.server.requests().size() == 1; }));
  streaming.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(streaming.reader().read_until("event: ping"));  // time enough for one has passed
  held.go = true;
  const Message answer = plain.response().value_or(Message{});
  EXPECT_EQ(answer.body.find("ping"), std::string::npos);
  EXPECT_EQ(answer.header("content-type"), "application/json");
}

TEST(KeepAlive, AnErrorAfterAKeepAliveBecomesAnInStreamErrorWithTheEnginesWords) {
  Held held([](const Message&, Wire& wire) {
    wire.reply(400, R"({"error":{"message":"prompt is too long"}})");
  });
  RunningGateway gateway({held.server.url()}, 1, eager());
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(client.reader().read_until("event: ping"));
  held.go = true;
  const Message answer = client.response().value_or(Message{});
  EXPECT_EQ(answer.status(), 200);
  EXPECT_TRUE(answer.whole);
  EXPECT_NE(answer.body.find("event: error"), std::string::npos);
  EXPECT_NE(answer.body.find("prompt is too long"), std::string::npos);
  EXPECT_TRUE(gateway.settles());
  EXPECT_TRUE(counts(gateway, "upstream_error"));
}

TEST(KeepAlive, AServerThatDiesAfterAKeepAliveIsToldInTheStream) {
  Held held([](const Message&, Wire& wire) { wire.reset(); });
  RunningGateway gateway({held.server.url()}, 1, eager());
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(client.reader().read_until("event: ping"));
  held.go = true;
  const Message answer = client.response().value_or(Message{});
  EXPECT_TRUE(answer.whole);
  EXPECT_NE(answer.body.find("event: error"), std::string::npos);
  EXPECT_TRUE(gateway.settles());
  EXPECT_TRUE(counts(gateway, "upstream_reset"));
}

TEST(KeepAlive, MidStreamItNeverLandsInsideAnEvent) {
  std::atomic<bool> go{false};
  std::atomic<int> streams{0};
  const auto script = [&](const Message&, Wire& wire) {
    const bool stops_inside = streams.fetch_add(1) == 0;
    wire.begin_stream();
    wire.event("event: message_start\ndata: {\"type\":\"message_start\"}\n\n");
    if (stops_inside) wire.event("event: half\nda");
    static_cast<void>(eventually([&] { return go.load(); }));
    if (stops_inside) wire.event("ta: {}\n\n");
    wire.end_stream();
  };
  ScriptedServer a(script);
  ScriptedServer b(script);
  config::Config config = eager();
  config.threads = 1;  // so the timer of the first stream comes before that of the second
  RunningGateway gateway({a.url(), b.url()}, 2, config);
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(client.reader().read_until("half\nda"));
  // Another stream, begun later and silent between two events, gets one: then the first, too, was
  // silent for long enough.
  RawClient witness(gateway.port());
  witness.post("/v1/messages", messages_body("hi", true), claude("s2"));
  ASSERT_TRUE(witness.reader().read_until("event: ping"));
  go = true;
  const Message answer = client.response().value_or(Message{});
  EXPECT_NE(answer.body.find("event: half\ndata: {}\n\n"), std::string::npos) << answer.body;
}

TEST(KeepAlive, NoneIsWrittenIntoABodyWhoseLengthWasPromised) {
  std::atomic<bool> go{false};
  const std::string text = messages_events();
  ScriptedServer promised([&](const Message&, Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: " +
              std::to_string(text.size()) + "\r\n\r\n" + text.substr(0, text.find("\n\n") + 2));
    static_cast<void>(eventually([&] { return go.load(); }));
    wire.send(text.substr(text.find("\n\n") + 2));
  });
  Held witness(answer_messages);
  RunningGateway gateway({promised.url()}, 1, eager());
  RunningGateway other({witness.server.url()}, 1, eager());
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(client.reader().read_until("\n\n"));
  // The other gateway's client shows that the time for several keep-alives has passed.
  RawClient waiting(other.port());
  waiting.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(waiting.reader().read_until("ping"));
  go = witness.go = true;
  const Message answer = client.response().value_or(Message{});
  EXPECT_EQ(answer.body, text);
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", true), claude("s")).status(), 200);
}

TEST(KeepAlive, AnAnswerThatIsNoStreamAfterAKeepAliveIsToldInWords) {
  Held held([](const Message&, Wire& wire) { wire.reply(302, ""); });
  RunningGateway gateway({held.server.url()}, 1, eager());
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(client.reader().read_until("event: ping"));
  held.go = true;
  const Message answer = client.response().value_or(Message{});
  EXPECT_TRUE(answer.whole);
  EXPECT_NE(answer.body.find("did not answer with the event stream"), std::string::npos)
      << answer.body;
}

}  // namespace
}  // namespace berth::scenario
