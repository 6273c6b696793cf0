// The request reaches the engine as the client sent it, the response the client as the engine sent
// it, but for the closed list of edits.
#include <gtest/gtest.h>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

TEST(Exactness, BodyQueryAndHeadersArriveByteForByteInOrderAndCase) {
  ScriptedServer a(answer_messages);
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  const std::string body =
      "{ \"model\" :\"m\",\n \"stream\":true, \"x\":\"\\u00e9\", \"messages\":[] "
      ",\"max_tokens\":1e2 }  ";
  client.send(
      "POST /v1/messages?beta=true&x=%2F HTTP/1.1\r\nHost: berth.example\r\nX-Twice: "
      "one\r\nx-TWICE: two\r\n"
      "anthropic-beta: a,b\r\nAccept-Encoding: gzip, br\r\nX-Odd:value\r\nContent-Type: "
      "application/json\r\n"
      "Content-Length: " +
      std::to_string(body.size()) +
      "\r\nConnection: keep-alive, x-hop\r\nX-Hop: gone\r\n"
      "TE: trailers\r\nX-Last:  spaced\t\r\n\r\n" +
      body);
  ASSERT_EQ(client.response()->status(), 200);
  const Message seen = a.requests().at(0);
  EXPECT_EQ(seen.body, body);
  EXPECT_EQ(seen.start_line, "POST /v1/messages?beta=true&x=%2F HTTP/1.1");
  const std::size_t once = seen.head.find("X-Twice: one\r\n");
  const std::size_t twice = seen.head.find("x-TWICE: two\r\n");
  ASSERT_NE(once, std::string::npos);
  ASSERT_NE(twice, std::string::npos);
  EXPECT_LT(once, twice);
  EXPECT_EQ(seen.header("host"), a.url().substr(7));  // of this hop, as for health checks
  EXPECT_EQ(seen.header("accept-encoding"), "gzip, br");
  EXPECT_EQ(seen.header("x-odd"), "value");
  EXPECT_EQ(seen.header("x-last"), "spaced");
  EXPECT_EQ(seen.header("x-hop"), "");
  EXPECT_EQ(seen.header("te"), "");
}

// As Java's client and Apache's send every request on plain HTTP. vLLM's server would lose the
// body.
TEST(Exactness, AnOfferToUpgradeNeverReachesTheEngineAndTheBodyDoes) {
  ScriptedServer a(answer_messages);
  RunningGateway gateway({a.url()}, 1);
  const std::string body = messages_body("hi", false);
  for (const std::string offer :
       {"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
        "Upgrade: TLS/1.2\r\nConnection: Upgrade\r\n", "Upgrade: h2c\r\n"}) {
    RawClient client(gateway.port());
    client.send("POST /v1/messages HTTP/1.1\r\nHost: b\r\n" + offer +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_EQ(client.response().value_or(Message{}).status(), 200);
    const Message seen = a.requests().back();
    EXPECT_EQ(seen.body, body);
    for (const char* name : {"upgrade", "connection", "http2-settings"}) {
      EXPECT_EQ(seen.header(name), "") << offer;
    }
    EXPECT_EQ(client.ask("/v1/messages", body).status(), 200);  // the connection goes on as it was
  }
}

TEST(Exactness, AChunkedRequestArrivesDecodedWithOneContentLength) {
  ScriptedServer a(answer_messages);
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  client.send(
      "POST /v1/messages HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\n{\"mod\r\n");
  client.send("A\r\nel\":\"m\"  }\r\n0\r\n\r\n");
  ASSERT_EQ(client.response()->status(), 200);
  const Message seen = a.requests().at(0);
  EXPECT_EQ(seen.body, "{\"model\":\"m\"  }");
  EXPECT_EQ(seen.header("content-length"), "15");
  EXPECT_EQ(seen.header("transfer-encoding"), "");
}

TEST(Exactness, AStreamPassesUnchangedHoweverTheServerCutsIt) {
  const std::string text = messages_events();
  ScriptedServer a([&](const Message&, Wire& wire) {
    wire.begin_stream();
    for (const char c : text) wire.event(std::string(1, c));
    wire.end_stream();
  });
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", true), claude("s")).body, text);
}

TEST(Exactness, ResponseHeadersPassAndOnlyBerthsOwnAreAdded) {
  ScriptedServer a([](const Message&, Wire& wire) {
    wire.reply(200, "{}",
               "X-Engine: one\r\nX-Engine: two\r\nSet-Cookie: a=b\r\nKeep-Alive: timeout=5\r\n");
  });
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  const Message answer = client.ask("/v1/messages", messages_body("hi", false), claude("s"));
  EXPECT_NE(answer.head.find("X-Engine: one\r\nX-Engine: two\r\nSet-Cookie: a=b\r\n"),
            std::string::npos);
  EXPECT_EQ(answer.header("keep-alive"), "");
  EXPECT_NE(answer.header("x-berth-replica"), "");
  EXPECT_NE(answer.header("x-berth-queue-ms"), "");
}

TEST(Exactness, AnAliasIsSplicedIntoTheBodyAndNothingElseChanges) {
  ScriptedServer a(answer_messages);
  config::Config config = RunningGateway::defaults();
  config::Model model;
  model.name = "m";
  model.aliases = {"claude-sonnet-4-5"};
  config.models.push_back(model);
  RunningGateway gateway({a.url()}, 1, config);
  RawClient client(gateway.port());
  const std::string sent = messages_body("claude-sonnet-4-5", true, "claude-sonnet-4-5");
  ASSERT_EQ(client.ask("/v1/messages", sent, claude("s")).status(), 200);
  std::string expected = sent;
  expected.replace(expected.find("\"claude-sonnet-4-5\""), 19, "\"m\"");
  EXPECT_EQ(a.requests().at(0).body, expected);
}

TEST(Exactness, UsageIsAskedForAndTakenOutAgain) {
  ScriptedServer a(answer_chat);
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  const std::string plain =
      R"({"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]})";
  const Message hidden = client.ask("/v1/chat/completions", plain, {{"x-session-id", "s"}});
  EXPECT_NE(a.requests().at(0).body.find("\"include_usage\":true"), std::string::npos);
  EXPECT_EQ(hidden.body.find("usage"), std::string::npos) << hidden.body;
  EXPECT_NE(hidden.body.find("[DONE]"), std::string::npos);

  const std::string asked =
      R"({"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]})";
  const Message shown = client.ask("/v1/chat/completions", asked, {{"x-session-id", "s"}});
  EXPECT_EQ(a.requests().at(1).body, asked);
  EXPECT_NE(shown.body.find("\"cached_tokens\":32"), std::string::npos);
  ASSERT_TRUE(gateway.settles());
  EXPECT_EQ(gateway.model().replicas.at(0).routing.counters.cached_tokens, 64u);
}

TEST(Exactness, WithBodyEditsOffTheBodyIsNeverTouched) {
  ScriptedServer a(answer_chat);
  config::Config config = RunningGateway::defaults();
  config.body_edits = config::BodyEdits::kOff;
  RunningGateway gateway({a.url()}, 1, config);
  RawClient client(gateway.port());
  const std::string plain =
      R"({"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]})";
  client.ask("/v1/chat/completions", plain, {{"x-session-id", "s"}});
  EXPECT_EQ(a.requests().at(0).body, plain);
}

TEST(Exactness, AnHttp10ClientGetsABodyThatEndsWithTheConnection) {
  ScriptedServer a(answer_messages);
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  const std::string body = messages_body("hi", true);
  client.send("POST /v1/messages HTTP/1.0\r\nHost: b\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
  const Message answer = client.response().value_or(Message{});
  EXPECT_EQ(answer.header("transfer-encoding"), "");
  EXPECT_EQ(answer.body, messages_events());
}

TEST(Exactness, PipelinedRequestsAreAnsweredInOrder) {
  ScriptedServer a(answer_messages);
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("one", true), claude("s"));
  client.post("/v1/messages", messages_body("two", false), claude("s"));
  EXPECT_EQ(client.response()->body, messages_events());
  EXPECT_NE(client.response()->body.find("\"id\":\"msg_1\""), std::string::npos);
}

}  // namespace
}  // namespace berth::scenario
