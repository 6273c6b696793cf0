// One scenario a fault. After every one nothing is in flight, and what the client saw is what
// really happened.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "gateway/exchange.h"
#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using routing::Outcome;

std::string url_of(const std::string& label) { return "http://" + label; }

double sum_of(RunningGateway& gateway, const std::string& series) {
  double sum = 0;
  std::istringstream text(gateway->metrics_text());
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(series)) sum += std::stod(line.substr(line.rfind(' ')));
  }
  return sum;
}

TEST(Faults, AReplicaThatRefusesIsReplacedAndTheClientNoticesNothing) {
  ScriptedServer a(answer_messages);
  ScriptedServer b(answer_messages);
  config::Config config = RunningGateway::defaults();
  config.timeouts.health_every = std::chrono::hours(1);  // only the data path can notice
  config.timeouts.scrape_every = std::chrono::hours(1);
  config.limits.upstream_idle_connections = 0;  // a pooled connection would still work
  RunningGateway gateway({a.url(), b.url()}, 2, config);
  RawClient client(gateway.port());
  const Message first = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  ScriptedServer& home = url_of(first.header("x-berth-replica")) == a.url() ? a : b;
  ScriptedServer& other = &home == &a ? b : a;
  home.stop_listening();
  home.set_healthy(false);
  const Message second = client.ask("/v1/messages", messages_body("again", true), claude("s1"));
  EXPECT_EQ(second.status(), 200);
  EXPECT_EQ(second.header("x-berth-outcome"), "failover");
  EXPECT_EQ(url_of(second.header("x-berth-replica")), other.url());
  EXPECT_EQ(sum_of(gateway, "berth_retries_total{"), 1);
  for (int i = 0; i < 6; ++i) {
    const Message answer =
        client.ask("/v1/messages", messages_body("hi", true), claude("new-" + std::to_string(i)));
    EXPECT_EQ(answer.status(), 200);
  }
  EXPECT_EQ(home.requests().size(), 1u);
  EXPECT_EQ(other.requests().size(), 7u);
  ASSERT_TRUE(gateway.settles());
}

// Vllm's own balancer chooses among its ranks; the counts are the server's.
TEST(Faults, WithoutARankTheCountsReturnToZeroToo) {
  std::atomic<int> served{0};
  ScriptedServer a(
      [&](const Message&, Wire& wire) {
        if (served.fetch_add(1) == 0) return wire.reset();
        wire.begin_stream();
        wire.event("event: ping\ndata: {}\n\n");
        static_cast<void>(wire.gateway_left());
      },
      2);
  config::Config config = RunningGateway::defaults();
  config.model_defaults.affinity = false;
  RunningGateway gateway({a.url()}, 2, config);
  RawClient client(gateway.port());
  const Message broken = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  EXPECT_EQ(broken.status(), 502);
  EXPECT_TRUE(gateway.settles());
  {
    RawClient leaving(gateway.port());
    leaving.post("/v1/messages", messages_body("hi", true), claude("s1"));
    ASSERT_TRUE(leaving.reader().read_until("event: ping"));
    EXPECT_EQ(gateway.model().unranked_in_flight, 1u);
  }
  EXPECT_TRUE(gateway.settles());
  EXPECT_EQ(gateway.model().unranked_in_flight, 0u);
  EXPECT_EQ(a.requests().at(0).header("x-data-parallel-rank"), "");
}

TEST(Faults, AHomeThatIsDownFailsOverAndStaysUsable) {
  ScriptedServer a(answer_messages);
  ScriptedServer b(answer_messages);
  RunningGateway gateway({a.url(), b.url()}, 2);
  RawClient client(gateway.port());
  const Message first = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  ScriptedServer& home = url_of(first.header("x-berth-replica")) == a.url() ? a : b;
  home.set_healthy(false);
  home.stop_listening();
  ASSERT_TRUE(eventually([&] {
    for (const auto& replica : gateway.model().replicas) {
      if (replica.routing.state == routing::ReplicaState::kDown) return true;
    }
    return false;
  }));
  const Message second = client.ask("/v1/messages", messages_body("again", true), claude("s1"));
  EXPECT_EQ(second.status(), 200);
  EXPECT_EQ(second.header("x-berth-outcome"), "failover");
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, WhenEveryReplicaRefusesTheClientIsToldInItsOwnShapeAndWhenToRetry) {
  ScriptedServer a(answer_messages);
  RunningGateway gateway({a.url()}, 1);
  a.stop_listening();
  RawClient client(gateway.port());
  const Message answer = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  EXPECT_GE(answer.status(), 502);
  EXPECT_NE(answer.body.find(R"("type":"error")"), std::string::npos) << answer.body;
  EXPECT_NE(answer.header("retry-after"), "");
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, AReplicaThatDiesMidStreamBreaksTheClientsStreamAndIsNotRetried) {
  ScriptedServer a([](const Message&, Wire& wire) {
    wire.begin_stream();
    wire.event("event: message_start\ndata: {\"type\":\"message_start\"}\n\n");
    wire.close();
  });
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  const Message answer = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  EXPECT_EQ(answer.status(), 200);
  EXPECT_FALSE(answer.whole);
  EXPECT_EQ(a.requests().size(), 1u);
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, AReusedConnectionThatIsResetIsRetriedOnceOnAFreshOne) {
  std::atomic<int> served{0};
  ScriptedServer a([&](const Message& request, Wire& wire) {
    if (served.fetch_add(1) == 1) {
      wire.reset();
      return;
    }
    answer_messages(request, wire);
  });
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  EXPECT_EQ(client.ask("/v1/messages", messages_body("one", true), claude("s1")).status(), 200);
  const Message second = client.ask("/v1/messages", messages_body("two", true), claude("s1"));
  EXPECT_EQ(second.status(), 200);
  EXPECT_EQ(second.body, messages_events());
  EXPECT_EQ(a.requests().size(), 3u);
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, AReusedConnectionThatDiesAfterWorkIsNotStale) {
  std::atomic<int> served{0};
  std::atomic<ShiftedClock*> clock{nullptr};
  ScriptedServer a([&](const Message& request, Wire& wire) {
    if (served.fetch_add(1) == 1) {
      clock.load()->advance(gateway::Exchange::kStaleWithin);
      wire.close();
      return;
    }
    answer_messages(request, wire);
  });
  RunningGateway gateway({a.url()}, 1);
  clock = &gateway.clock();
  RawClient client(gateway.port());
  EXPECT_EQ(client.ask("/v1/messages", messages_body("one", true), claude("s1")).status(), 200);
  const Message second = client.ask("/v1/messages", messages_body("two", true), claude("s1"));
  EXPECT_EQ(second.status(), 502);
  EXPECT_NE(second.body.find(R"("code":"upstream_reset")"), std::string::npos) << second.body;
  EXPECT_EQ(a.connections(), 1u);
  EXPECT_EQ(a.requests().size(), 2u);
  EXPECT_TRUE(gateway.settles());
}

// The server goes down: it closes the pooled connection and refuses the new one. It may have begun
// with what it closed on, so no other replica gets it.
TEST(Faults, AStaleConnectionToAServerThatThenRefusesIsAnErrorToTryAgainAfter) {
  std::atomic<ScriptedServer*> home{nullptr};
  const auto script = [&home](const Message& request, Wire& wire) {
    if (home.load() == nullptr) return answer_messages(request, wire);
    home.load()->stop_listening();
    home = nullptr;
    wire.close();
  };
  ScriptedServer a(script);
  ScriptedServer b(script);
  config::Config config = RunningGateway::defaults();
  config.timeouts.health_every = config.timeouts.scrape_every = std::chrono::hours(1);
  RunningGateway gateway({a.url(), b.url()}, 2, config);
  RawClient client(gateway.port());
  const Message first = client.ask("/v1/messages", messages_body("one", true), claude("s1"));
  home = url_of(first.header("x-berth-replica")) == a.url() ? &a : &b;
  const Message second = client.ask("/v1/messages", messages_body("two", true), claude("s1"));
  EXPECT_EQ(second.status(), 502) << second.body;
  EXPECT_NE(second.body.find(R"("code":"connect_failed")"), std::string::npos) << second.body;
  EXPECT_EQ(second.header("retry-after"), "5");
  EXPECT_EQ(a.requests().size() + b.requests().size(), 2u);
  ASSERT_TRUE(gateway.settles());
  EXPECT_TRUE(eventually([&] { return sum_of(gateway, "berth_decisions_total{") == 2; }));
  EXPECT_EQ(sum_of(gateway, "berth_requests_total{"), 2);
  const Message third = client.ask("/v1/messages", messages_body("two", true), claude("s1"));
  EXPECT_EQ(third.status(), 200) << third.body;
  EXPECT_EQ(third.header("x-berth-outcome"), "failover");
  EXPECT_NE(third.header("x-berth-replica"), first.header("x-berth-replica"));
  // Sent twice, decided once: by the reason of the attempt that was answered.
  EXPECT_TRUE(eventually([&] { return sum_of(gateway, "berth_decisions_total{") == 3; }));
}

TEST(Faults, AResetOnAFreshConnectionIsNotRetriedForTheReplicaMayHaveStarted) {
  ScriptedServer a([](const Message&, Wire& wire) { wire.reset(); });
  ScriptedServer b([](const Message&, Wire& wire) { wire.reset(); });
  RunningGateway gateway({a.url(), b.url()}, 2);
  RawClient client(gateway.port());
  const Message answer = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  EXPECT_EQ(answer.status(), 502);
  EXPECT_EQ(a.requests().size() + b.requests().size(), 1u);
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, AFirstRequestThatFailedWithoutAHeadDoesNotCountAsATurn) {
  ScriptedServer a([](const Message&, Wire& wire) { wire.send("nonsense\r\n\r\n"); });
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", true), claude("s1")).status(), 502);
  ASSERT_TRUE(gateway.settles());
  for (const auto& one : gateway->explain("s1")) EXPECT_EQ(one.explanation.turns, 0u);
  EXPECT_EQ(gateway.model().replicas.at(0).routing.counters.unmeasured, 0u);
}

TEST(Faults, ASilentServerIsATimeoutAndTheRequestIsNotSentAgain) {
  ScriptedServer deaf([](const Message&, Wire& wire) { static_cast<void>(wire.gateway_left()); });
  config::Config config = RunningGateway::defaults();
  config.timeouts.upstream_first_byte = std::chrono::milliseconds(100);
  RunningGateway gateway({deaf.url()}, 1, config);
  RawClient client(gateway.port());
  const Message answer = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  EXPECT_EQ(answer.status(), 504);
  EXPECT_EQ(deaf.requests().size(), 1u);
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, WithoutADescriptorLeftTheClientIsToldToComeBackAndTheReplicaIsNotBlamed) {
  ScriptedServer a(answer_messages);
  config::Config config = RunningGateway::defaults();
  config.timeouts.upstream_pool_idle = Duration::zero();
  config.timeouts.health_every = config.timeouts.scrape_every = std::chrono::hours(1);
  RunningGateway gateway({a.url()}, 1, config);
  RawClient client(gateway.port());
  ASSERT_EQ(client.ask("/v1/messages", messages_body("hi", true), claude("s1")).status(), 200);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 1;  // as many as the client's poll(2) names; all are taken
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Message refused = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(refused.status(), 503);
  EXPECT_NE(refused.header("retry-after"), "");
  EXPECT_NE(refused.body.find(R"("code":"overloaded")"), std::string::npos) << refused.body;
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", true), claude("s1")).status(), 200);
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, AClientThatLeavesBeforeTheFirstByteAbortsTheEngineAtOnce) {
  std::atomic<bool> saw_abort{false};
  ScriptedServer a([&](const Message&, Wire& wire) { saw_abort = wire.gateway_left(); });
  RunningGateway gateway({a.url()}, 1);
  {
    RawClient client(gateway.port());
    client.post("/v1/messages", messages_body("hi", true), claude("s1"));
    ASSERT_TRUE(eventually([&] { return a.requests().size() == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return saw_abort.load(); }));
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, AClientThatLeavesMidStreamAbortsTheEngine) {
  std::atomic<bool> saw_abort{false};
  ScriptedServer a([&](const Message&, Wire& wire) {
    wire.begin_stream();
    wire.event("event: ping\ndata: {}\n\n");
    saw_abort = wire.gateway_left();
  });
  RunningGateway gateway({a.url()}, 1);
  {
    RawClient client(gateway.port());
    client.post("/v1/messages", messages_body("hi", true), claude("s1"));
    ASSERT_TRUE(client.reader().read_until("event: ping"));
    client.socket().reset();
  }
  EXPECT_TRUE(eventually([&] { return saw_abort.load(); }));
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, ANonStreamingClientThatLeavesAbortsTheEngineToo) {
  std::atomic<bool> saw_abort{false};
  ScriptedServer a([&](const Message&, Wire& wire) { saw_abort = wire.gateway_left(); });
  RunningGateway gateway({a.url()}, 1);
  {
    RawClient client(gateway.port());
    client.post("/v1/messages", messages_body("hi", false), claude("s1"));
    ASSERT_TRUE(eventually([&] { return a.requests().size() == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return saw_abort.load(); }));
  EXPECT_TRUE(gateway.settles());
}

TEST(Faults, ADrainLetsOpenStreamsEndAndRefusesNewConnections) {
  std::atomic<bool> go{false};
  ScriptedServer a([&](const Message& request, Wire& wire) {
    static_cast<void>(eventually([&] { return go.load(); }));
    answer_messages(request, wire);
  });
  RunningGateway gateway({a.url()}, 1);
  RawClient busy(gateway.port());
  RawClient idle(gateway.port());
  busy.post("/v1/messages", messages_body("hi", true), claude("s1"));
  ASSERT_TRUE(eventually([&] { return a.requests().size() == 1; }));
  std::uint32_t cut = 99;
  std::thread draining([&] { cut = gateway.drain(); });
  EXPECT_TRUE(idle.socket().peer_left());
  EXPECT_FALSE(gateway->ready());
  EXPECT_TRUE(eventually([&] { return BlockingSocket::refuses(gateway.port()); }));
  go = true;
  const Message answer = busy.response().value_or(Message{});
  EXPECT_EQ(answer.body, messages_events());
  draining.join();
  EXPECT_EQ(cut, 0u);
}

TEST(Faults, ADrainIsBounded) {
  ScriptedServer a([](const Message&, Wire& wire) { static_cast<void>(wire.gateway_left()); });
  config::Config config = RunningGateway::defaults();
  config.timeouts.drain = std::chrono::milliseconds(50);
  RunningGateway gateway({a.url()}, 1, config);
  RawClient client(gateway.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s1"));
  ASSERT_TRUE(eventually([&] { return a.requests().size() == 1; }));
  EXPECT_EQ(gateway.drain(), 1u);
  EXPECT_TRUE(client.socket().peer_left());
}

class StateDirectory : public ::testing::Test {
 protected:
  StateDirectory() {
    std::string pattern = ::testing::TempDir() + "berth-scenario-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~StateDirectory() override { std::filesystem::remove_all(path_); }
  config::Config config() const {
    config::Config config = RunningGateway::defaults();
    config.state_dir = path_;
    return config;
  }
  std::string path_;
};

TEST_F(StateDirectory, LaterTurnsAreStillStickyAfterARestart) {
  ScriptedServer a(answer_messages);
  ScriptedServer b(answer_messages);
  std::map<std::string, std::string> homes;
  {
    RunningGateway gateway({a.url(), b.url()}, 2, config());
    RawClient client(gateway.port());
    for (int i = 0; i < 6; ++i) {
      const std::string session = "s" + std::to_string(i);
      homes[session] = client.ask("/v1/messages", messages_body("hi", true), claude(session))
                           .header("x-berth-replica");
    }
    EXPECT_EQ(gateway.drain(), 0u);
  }
  RunningGateway gateway({a.url(), b.url()}, 2, config());
  EXPECT_TRUE(gateway.warnings().empty());
  RawClient client(gateway.port());
  for (const auto& [session, home] : homes) {
    const Message answer = client.ask("/v1/messages", messages_body("next", true), claude(session));
    EXPECT_EQ(answer.header("x-berth-outcome"), "sticky");
    EXPECT_EQ(answer.header("x-berth-replica"), home);
  }
}

TEST_F(StateDirectory, ADamagedStateFileIsAnEmptyTable) {
  std::ofstream(path_ + "/bindings.json") << "{\"schema\":1,";
  ScriptedServer a(answer_messages);
  RunningGateway gateway({a.url()}, 1, config());
  RawClient client(gateway.port());
  const Message answer = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  EXPECT_EQ(answer.header("x-berth-outcome"), "placed");
}

}  // namespace
}  // namespace berth::scenario
