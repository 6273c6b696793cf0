// Clients that close while their answer is under way, or as soon as they have read its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using ::testing::HasSubstr;

// A stream of one API, cut before the framing's last chunk, and what a client reads as its end.
struct Stream {
  const char* name;
  const char* path;
  std::string request;
  std::string events;
  std::string end;
  friend void PrintTo(const Stream& stream, std::ostream* out) { *out << stream.name; }
};

std::string chat_body() {
  return R"({"model":"m","stream":true,"stream_options":{"include_usage":true},)"
         R"("messages":[{"role":"user","content":"hi"}]})";
}

std::vector<Stream> streams() {
  return {
      {"messages", "/v1/messages", messages_body("hi", true), messages_events(),
       R"({"type":"message_stop"})"
       "\n\n"},
      {"chat", "/v1/chat/completions", chat_body(),
       R"(data: {"id":"c1","choices":[{"index":0,"delta":{"content":"hello"}}]})"
       "\n\n"
       R"(data: {"id":"c1","choices":[],"usage":{"prompt_tokens":40,"completion_tokens":3,)"
       R"("prompt_tokens_details":{"cached_tokens":32}}})"
       "\n\ndata: [DONE]\n\n",
       "data: [DONE]\n\n"},
      {"responses", "/v1/responses", R"({"model":"m","stream":true,"input":"hi"})",
       R"(data: {"type":"response.output_text.delta","delta":"hello"})"
       "\n\n"
       R"(data: {"type":"response.completed","response":{"usage":{"input_tokens":40,)"
       R"("input_tokens_details":{"cached_tokens":32},"output_tokens":3}}})"
       "\n\n",
       R"("output_tokens":3}}})"
       "\n\n"},
  };
}

class AfterTheEnd : public ::testing::TestWithParam<Stream> {
 protected:
  AfterTheEnd() {
    std::string pattern = ::testing::TempDir() + "berth-leaving-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
  }
  ~AfterTheEnd() override { std::filesystem::remove_all(dir_); }

  config::Config config() const {
    config::Config config = RunningGateway::defaults();
    config.access_log = dir_ + "/access.log";
    config.threads = 1;  // so that the next client finds the same pool
    return config;
  }
  std::string log() const {
    std::ifstream file(dir_ + "/access.log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Reads the stream up to the API's own end and closes at once, as Codex does after every turn.
  static void read_to_the_end_and_close(std::uint16_t port) {
    RawClient client(port);
    client.post(GetParam().path, GetParam().request, {{"x-session-id", "s"}});
    ASSERT_TRUE(client.reader().read_until(GetParam().end));
  }
  void expect_whole(RunningGateway& gateway) {
    ASSERT_TRUE(eventually([&] { return log().find("total_s") != std::string::npos; }));
    EXPECT_THAT(log(), HasSubstr(R"("error":null)"));
    EXPECT_THAT(log(), HasSubstr(R"("status":200)"));
    EXPECT_THAT(log(), HasSubstr(R"("cached_tokens":32)"));
    EXPECT_TRUE(gateway.settles());
    EXPECT_EQ(gateway.model().replicas.at(0).routing.counters.cached_tokens, 32u);
    EXPECT_EQ(gateway.model().replicas.at(0).routing.counters.unmeasured, 0u);
    EXPECT_THAT(gateway->metrics_text(), HasSubstr(R"(berth_errors_total{code="client_gone"} 0)"));
  }

  std::string dir_;
};

TEST_P(AfterTheEnd, ClosingCountsAsAWholeTurnAndTheUpstreamConnectionIsKept) {
  std::atomic<bool> closed{false};
  ScriptedServer server([&](const Message&, Wire& wire) {
    wire.begin_stream();
    wire.event(GetParam().events);
    static_cast<void>(eventually([&] { return closed.load(); }));
    wire.end_stream();
  });
  RunningGateway gateway({server.url()}, 1, config());
  read_to_the_end_and_close(gateway.port());
  closed = true;
  expect_whole(gateway);
  RawClient next(gateway.port());
  next.ask(GetParam().path, GetParam().request, {{"x-session-id", "s"}});
  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.connections(), 1u);
}

TEST_P(AfterTheEnd, AServerThatNeverEndsItsFramingIsLeftAfterAMoment) {
  std::atomic<bool> left{false};
  ScriptedServer server([&](const Message&, Wire& wire) {
    wire.begin_stream();
    wire.event(GetParam().events);
    left = wire.gateway_left();
  });
  RunningGateway gateway({server.url()}, 1, config());
  read_to_the_end_and_close(gateway.port());
  expect_whole(gateway);
  EXPECT_TRUE(eventually([&] { return left.load(); }));
}

INSTANTIATE_TEST_SUITE_P(Apis, AfterTheEnd, ::testing::ValuesIn(streams()),
                         [](const auto& instance) { return std::string(instance.param.name); });

// A half-close counts as leaving, also while the client takes nothing of what is being written.
TEST(Leaving, InTheMiddleOfAWriteThatIsNotTakenGivesTheCountBackAtOnce) {
  std::atomic<int> sent{0};
  std::atomic<bool> left{false};
  const std::string event = "event: ping\ndata: " + std::string(60'000, 'x') + "\n\n";
  ScriptedServer server([&](const Message&, Wire& wire) {
    wire.begin_stream();
    for (; sent < 1000 && !left; ++sent) left = !wire.event(event);
  });
  config::Config config = RunningGateway::defaults();
  config.timeouts.client_write = std::chrono::minutes(5);
  RunningGateway gateway({server.url()}, 1, config);
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(client.reader().read_until("event: ping"));
  int seen = 0;
  int unchanged = 0;
  ASSERT_TRUE(eventually([&] {  // every buffer on the way is full
    unchanged = sent == seen ? unchanged + 1 : 0;
    seen = sent;
    return unchanged == 50;
  }));
  client.socket().half_close();
  EXPECT_TRUE(gateway.settles());
  EXPECT_TRUE(eventually([&] { return left.load(); }));
}

TEST(Leaving, WhileTheReplicaIsBeingConnectedToIsAbandonedAndNothingIsSent) {
  ScriptedServer server(answer_messages);
  config::Config config = RunningGateway::defaults();
  config.timeouts.health_every = config.timeouts.scrape_every = std::chrono::hours(1);
  config.timeouts.upstream_connect = std::chrono::minutes(5);
  RunningGateway gateway({server.url()}, 1, config);
  server.stop_accepting();
  {
    RawClient client(gateway.port());
    client.post("/v1/messages", messages_body("hi", true), claude("s"));
    ASSERT_TRUE(
        eventually([&] { return gateway.model().replicas.at(0).routing.view.in_flight == 1; }));
  }
  EXPECT_TRUE(gateway.settles());
  EXPECT_EQ(gateway.outcomes(routing::Outcome::kAbandoned), 1u);
  EXPECT_EQ(gateway.outcomes(routing::Outcome::kPlaced), 0u);
  EXPECT_EQ(gateway.model().replicas.at(0).routing.state, routing::ReplicaState::kUp);
  EXPECT_TRUE(server.requests().empty());
}

TEST(Leaving, AStopGivesUpAConnectionThatIsBeingMade) {
  ScriptedServer server(answer_messages);
  config::Config config = RunningGateway::defaults();
  config.timeouts.health_every = config.timeouts.scrape_every = std::chrono::hours(1);
  config.timeouts.upstream_connect = std::chrono::minutes(5);
  config.timeouts.drain = std::chrono::milliseconds(50);
  RunningGateway gateway({server.url()}, 1, config);
  server.stop_accepting();
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(
      eventually([&] { return gateway.model().replicas.at(0).routing.view.in_flight == 1; }));
  EXPECT_EQ(gateway.drain(), 1u) << "returns when its workers have ended";
}

}  // namespace
}  // namespace berth::scenario
