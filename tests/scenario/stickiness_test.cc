// Where requests go: sticky, spread, overflow, affinity off, ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <set>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using routing::Outcome;

TEST(Stickiness, EveryLaterTurnGoesToTheReplicaOfTheFirst) {
  ScriptedServer a(answer_messages);
  ScriptedServer b(answer_messages);
  RunningGateway gateway({a.url(), b.url()}, 2);
  RawClient client(gateway.port());
  std::set<std::string> replicas;
  for (int turn = 0; turn < 5; ++turn) {
    const Message answer =
        client.ask("/v1/messages?beta=true", messages_body("hi", true), claude("s1"));
    EXPECT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.body, messages_events());
    EXPECT_EQ(answer.header("x-berth-outcome"), turn == 0 ? "placed" : "sticky");
    replicas.insert(answer.header("x-berth-replica"));
  }
  EXPECT_EQ(replicas.size(), 1u);
  EXPECT_EQ(a.requests().size() + b.requests().size(), 5u);
  EXPECT_TRUE(a.requests().empty() || b.requests().empty());
}

TEST(Stickiness, AnAdapterThatOneServerHasIsAskedForThereOnly) {
  ScriptedServer a(answer_messages);
  ScriptedServer b(answer_messages);
  a.load_adapter("sql");
  RunningGateway gateway({a.url(), b.url()}, 2);
  RawClient client(gateway.port());
  const std::string body = messages_body("hi", true, "sql");
  for (int i = 0; i < 6; ++i) {
    const Message answer = client.ask("/v1/messages", body, claude("s" + std::to_string(i)));
    EXPECT_EQ(answer.status(), 200);
  }
  EXPECT_EQ(a.requests().size(), 6u);
  EXPECT_EQ(b.requests().size(), 0u);
}

TEST(Stickiness, PacedConversationsSpreadEvenlyOverReplicasAlthoughNothingIsEverInFlight) {
  std::vector<std::unique_ptr<ScriptedServer>> servers;
  std::vector<std::string> urls;
  for (int i = 0; i < 4; ++i) {
    servers.push_back(std::make_unique<ScriptedServer>(answer_messages));
    urls.push_back(servers.back()->url());
  }
  RunningGateway gateway(urls, 4);
  RawClient client(gateway.port());
  const auto place = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const std::string session = "paced-" + std::to_string(count) + "-" + std::to_string(i);
      client.ask("/v1/messages", messages_body("task " + session, true), claude(session));
      EXPECT_TRUE(gateway.settles());
    }
  };
  place(4);
  for (const auto& server : servers) EXPECT_EQ(server->requests().size(), 1u);
  place(100);
  std::size_t least = 1000;
  std::size_t most = 0;
  for (const auto& server : servers) {
    least = std::min(least, server->requests().size());
    most = std::max(most, server->requests().size());
  }
  EXPECT_LE(most - least, 2u);
}

TEST(Stickiness, OnRanksTheRankHeaderCarriesTheHomeAndAClientsOwnIsDropped) {
  ScriptedServer server(answer_messages, 4);
  RunningGateway gateway({server.url()}, 4);
  RawClient client(gateway.port());
  for (int turn = 0; turn < 3; ++turn) {
    HeaderList headers = claude("s1");
    headers.emplace_back("X-Data-Parallel-Rank", "3");
    const Message answer = client.ask("/v1/messages", messages_body("hi", false), headers);
    EXPECT_EQ(answer.status(), 200);
  }
  std::set<std::string> ranks;
  for (const Message& request : server.requests()) {
    ranks.insert(request.header("x-data-parallel-rank"));
    EXPECT_EQ(request.head.find("X-Data-Parallel-Rank"), std::string::npos);
  }
  EXPECT_EQ(ranks.size(), 1u);
  EXPECT_NE(*ranks.begin(), "");
}

TEST(Stickiness, WithAffinityOffTheServersOwnBalancerDecides) {
  ScriptedServer server(answer_messages, 4);
  config::Config config = RunningGateway::defaults();
  config.model_defaults.affinity = false;
  RunningGateway gateway({server.url()}, 4, config);
  RawClient client(gateway.port());
  const Message answer = client.ask("/v1/messages", messages_body("hi", false), claude("s1"));
  EXPECT_EQ(answer.header("x-berth-outcome"), "unbound");
  EXPECT_EQ(server.requests().at(0).header("x-data-parallel-rank"), "");
}

TEST(Stickiness, ResponsesOnRanksAreUnboundAndTheStatusSaysWhy) {
  ScriptedServer server(answer_chat, 2);
  RunningGateway gateway({server.url()}, 2);
  RawClient client(gateway.port());
  const Message answer =
      client.ask("/v1/responses", R"({"model":"m","input":"hi"})", {{"thread-id", "t1"}});
  EXPECT_EQ(answer.header("x-berth-outcome"), "unbound");
  EXPECT_EQ(server.requests().at(0).header("x-data-parallel-rank"), "");
  ASSERT_TRUE(eventually([&] { return gateway.outcomes(Outcome::kUnbound) == 1; }));
  EXPECT_THAT(gateway.model().advice, ::testing::Contains(::testing::HasSubstr("/v1/responses")));
}

// A server whose answers wait until the test lets them go.
class Gate {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait_for(lock, kPatience, [&] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

TEST(Stickiness, AHomePastItsThresholdOverflowsOnceAndTheNextTurnIsStickyAgain) {
  Gate gate;
  const auto script = [&](const Message& request, Wire& wire) {
    if (request.body.find("slow") != std::string::npos) gate.wait();
    answer_messages(request, wire);
  };
  ScriptedServer a(script);
  ScriptedServer b(script);
  config::Config config = RunningGateway::defaults();
  config.model_defaults.overflow_threshold = 2;
  RunningGateway gateway({a.url(), b.url()}, 2, config);

  RawClient first(gateway.port());
  const Message placed = first.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  const std::string home = placed.header("x-berth-replica");

  // Three requests of the same conversation fill its home past the threshold of 2.
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 3; ++i) {
    slow.push_back(std::make_unique<RawClient>(gateway.port()));
    slow.back()->post("/v1/messages", messages_body("slow", true), claude("s1"));
  }
  ASSERT_TRUE(eventually([&] { return a.requests().size() + b.requests().size() == 4; }));

  const Message overflow = first.ask("/v1/messages", messages_body("quick", true), claude("s1"));
  EXPECT_EQ(overflow.header("x-berth-outcome"), "overflow");
  EXPECT_NE(overflow.header("x-berth-replica"), home);

  gate.open();
  for (const auto& client : slow) EXPECT_EQ(client->response()->status(), 200);
  ASSERT_TRUE(gateway.settles());
  const Message after = first.ask("/v1/messages", messages_body("next", true), claude("s1"));
  EXPECT_EQ(after.header("x-berth-outcome"), "sticky");
  EXPECT_EQ(after.header("x-berth-replica"), home);
  ASSERT_TRUE(gateway.settles());
  EXPECT_EQ(gateway.outcomes(Outcome::kPlaced), 1u);
  EXPECT_EQ(gateway.outcomes(Outcome::kOverflow), 1u);
  EXPECT_EQ(gateway.outcomes(Outcome::kSticky), 4u);
}

TEST(Stickiness, OutcomesOnMetricsAddUpToTheRequests) {
  ScriptedServer a(answer_messages);
  ScriptedServer b(answer_messages);
  RunningGateway gateway({a.url(), b.url()}, 2);
  RawClient client(gateway.port());
  for (int i = 0; i < 3; ++i) client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  client.ask("/v1/messages", messages_body("hi", true, "nope"), claude("s1"));
  client.ask("/v1/messages", "{broken", claude("s1"));
  client.ask("/v1/embeddings", R"({"model":"m","input":"x"})");
  ASSERT_TRUE(gateway.settles());
  double sum = 0;
  std::istringstream text(gateway->metrics_text());
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("berth_requests_total{")) sum += std::stod(line.substr(line.rfind(' ')));
  }
  EXPECT_EQ(sum, 6);
}

TEST(Stickiness, TheMetricsOfAWorkingGatewayPassPrometheusOwnLint) {
  if (std::string(BERTH_PROMTOOL).empty())
    GTEST_SKIP() << "promtool (package prometheus) is not installed";
  ScriptedServer server(answer_messages, 2);
  RunningGateway gateway({server.url()}, 2);
  RawClient client(gateway.port());
  client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
  ASSERT_TRUE(gateway.settles());
  std::FILE* lint = ::popen(BERTH_PROMTOOL " check metrics", "w");
  ASSERT_NE(lint, nullptr);
  const std::string text = gateway->metrics_text();
  EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), lint), text.size());
  EXPECT_EQ(::pclose(lint), 0);
}

TEST(Stickiness, ASubagentIsItsOwnConversationAndStartsBesideItsParent) {
  ScriptedServer a(answer_messages);
  ScriptedServer b(answer_messages);
  RunningGateway gateway({a.url(), b.url()}, 2);
  RawClient client(gateway.port());
  const Message parent = client.ask("/v1/messages", messages_body("main", true), claude("s1"));
  const Message child =
      client.ask("/v1/messages", messages_body("sub", true), claude("s1", "agent-1"));
  EXPECT_EQ(child.header("x-berth-outcome"), "placed");
  EXPECT_EQ(child.header("x-berth-replica"), parent.header("x-berth-replica"));
  EXPECT_EQ(gateway->explain("s1").size(), 2u);
  EXPECT_EQ(gateway->explain(gateway->hash_of("s1")).size(), 2u);
  EXPECT_TRUE(gateway->explain("s").empty());
  for (const auto& one : gateway->explain("s1")) {
    EXPECT_EQ(gateway->explain(one.conversation).size(), 2u) << "by the hash the access log shows";
  }
}

}  // namespace
}  // namespace berth::scenario
