#include "gateway/model.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace berth::gateway {
namespace {

using routing::Outcome;
using routing::ReplicaState;

std::shared_ptr<UpstreamServer> server_of(std::uint32_t index, std::string key = "") {
  auto server = std::make_shared<UpstreamServer>();
  server->index = index;
  server->label = "gpu" + std::to_string(index) + ":8000";
  server->api_key = std::move(key);
  return server;
}

class ModelTest : public ::testing::Test {
 protected:
  Instant now() const { return clock_.now(); }

  routing::Dispatch send(const std::string& session) {
    routing::RequestFacts facts;
    facts.conversation = routing::ConversationKey{"tenant", "m", session, ""};
    const routing::Decision decision =
        model_.with_router([&](auto& router) { return router.on_request(facts, now()); });
    const auto* dispatch = std::get_if<routing::Dispatch>(&decision);
    EXPECT_NE(dispatch, nullptr);
    return dispatch == nullptr ? routing::Dispatch{} : *dispatch;
  }
  void finish(const routing::Dispatch& dispatch) {
    model_.with_router([&](auto& router) {
      router.on_finished(dispatch.ticket, {200, {1000, 0, 10}, true}, now());
    });
  }
  // One whole turn; answers where it went.
  std::string turn(const std::string& session, Outcome* outcome = nullptr) {
    const routing::Dispatch dispatch = send(session);
    if (outcome != nullptr) *outcome = dispatch.outcome;
    const std::string label = model_.destination(dispatch).label;
    finish(dispatch);
    return label;
  }
  std::map<std::string, ReplicaState> present() const {
    std::map<std::string, ReplicaState> out;
    for (const observe::ReplicaStatus& replica : model_.status(now()).replicas) {
      if (!replica.routing.removed) out[replica.routing.spec.label] = replica.routing.state;
    }
    return out;
  }
  void scrape(std::uint32_t server, std::uint64_t prompt_tokens) {
    observe::EngineCounters counters;
    counters.prompt_tokens = prompt_tokens;
    model_.on_scrape(server, 0, {}, counters, now());
  }

  ManualClock clock_;
  Model model_{"m", {}, 1};
};

TEST_F(ModelTest, RanksComeAndGoOneByOne) {
  const auto server = server_of(0);
  model_.set_server_replicas(server, 4, 0, now());
  std::map<std::string, std::string> homes;
  for (int i = 0; i < 16; ++i) {
    const std::string session = "s" + std::to_string(i);
    homes[session] = turn(session);
  }
  model_.set_server_replicas(server, 6, 0, now());
  EXPECT_EQ(present().size(), 6u);
  for (const auto& [session, home] : homes) EXPECT_EQ(turn(session), home);
  model_.set_server_replicas(server, 3, 0, now());
  EXPECT_EQ(present().size(), 3u);
  for (const auto& [session, home] : homes) {
    if (home == "gpu0:8000#3") continue;
    EXPECT_EQ(turn(session), home);
  }
}

TEST_F(ModelTest, ARankThatIsDownIsLeftByItsConversationsAndTheOthersStay) {
  model_.set_server_replicas(server_of(0), 2, 0, now());
  const std::string home = turn("a");
  std::string other = "b";
  while (turn(other) == home) other += "b";
  const std::uint32_t rank = home.back() == '1' ? 1 : 0;
  model_.set_rank_state(0, rank, ReplicaState::kDown, "it hangs", now());
  Outcome outcome{};
  EXPECT_NE(turn("a", &outcome), home);
  EXPECT_EQ(outcome, Outcome::kFailover);
  EXPECT_NE(turn(other), home);
  for (const auto& replica : model_.status(now()).replicas) {
    EXPECT_EQ(replica.why, replica.routing.spec.label == home ? "it hangs" : "");
  }
  model_.set_server_state(0, ReplicaState::kSuspect, now());
  EXPECT_EQ(present().at(home), ReplicaState::kDown) << "the worse of the two counts";
  model_.set_server_state(0, ReplicaState::kUp, now());
  model_.set_rank_state(0, rank, ReplicaState::kUp, "", now());
  EXPECT_EQ(present().at(home), ReplicaState::kUp);
}

TEST_F(ModelTest, RequestsAreCountedByRank) {
  model_.set_server_replicas(server_of(0), 2, 0, now());
  const routing::Dispatch dispatch = send("a");
  const auto rank = static_cast<std::uint32_t>(dispatch.target.rank.value_or(0));
  EXPECT_EQ(model_.in_flight_on_rank(0, rank), 1u);
  EXPECT_EQ(model_.in_flight_on_rank(0, 1 - rank), 0u);
  EXPECT_EQ(model_.in_flight_on_rank(1, rank), 0u);
  finish(dispatch);
  EXPECT_EQ(model_.in_flight_on_rank(0, rank), 0u);
}

TEST_F(ModelTest, WhatWasScrapedIsForgottenWhenItIsOldOrTheServerIsDown) {
  model_.set_server_replicas(server_of(0), 1, 0, now());
  const auto scraped = [this] { return model_.status(now()).replicas.at(0).routing.scraped; };
  EXPECT_FALSE(scraped());
  scrape(0, 10);
  EXPECT_TRUE(scraped());
  model_.on_scrape_lost(0, std::nullopt);
  EXPECT_FALSE(scraped());
  scrape(0, 10);
  model_.on_scrape_lost(0, 1);
  EXPECT_TRUE(scraped()) << "another rank";
  model_.set_server_state(0, ReplicaState::kDown, now());
  EXPECT_FALSE(scraped());
  EXPECT_TRUE(model_.status(now()).replicas.at(0).engine) << "counters stay";
}

TEST_F(ModelTest, ADrainIsKeptByReplicasThatStayAndByOneThatComesBack) {
  const auto server = server_of(0);
  model_.set_server_replicas(server, 4, 0, now());
  for (int i = 0; i < 8; ++i) turn("s" + std::to_string(i));
  ASSERT_TRUE(model_.set_drain("gpu0:8000#1", true, now()));
  ASSERT_TRUE(model_.set_drain("gpu0:8000#3", true, now()));
  model_.set_server_replicas(server, 2, 0, now());
  model_.set_server_replicas(server, 4, 0, now());
  EXPECT_EQ(present(), (std::map<std::string, ReplicaState>{
                           {"gpu0:8000#0", ReplicaState::kUp},
                           {"gpu0:8000#1", ReplicaState::kDraining},
                           {"gpu0:8000#2", ReplicaState::kUp},
                           {"gpu0:8000#3", ReplicaState::kDraining},
                       }));
}

TEST_F(ModelTest, NewReplicasOfAServerThatIsDrainedAreDrainedToo) {
  const auto server = server_of(0);
  model_.set_server_replicas(server, 1, 0, now());
  ASSERT_TRUE(model_.set_drain("gpu0:8000", true, now()));
  model_.set_server_replicas(server, 2, 0, now());
  EXPECT_EQ(present(), (std::map<std::string, ReplicaState>{
                           {"gpu0:8000#0", ReplicaState::kDraining},
                           {"gpu0:8000#1", ReplicaState::kDraining},
                       }));
}

TEST_F(ModelTest, AServerThatWasTakenOutAndPutBackIsNotDrained) {
  model_.set_server_replicas(server_of(0), 1, 0, now());
  turn("s");
  ASSERT_TRUE(model_.set_drain("gpu0:8000", true, now()));
  model_.remove_server(0, now());
  auto again = server_of(7);
  again->label = "gpu0:8000";
  model_.set_server_replicas(again, 1, 0, now());
  EXPECT_EQ(present().at("gpu0:8000"), ReplicaState::kUp);
  Outcome outcome{};
  turn("s", &outcome);
  EXPECT_EQ(outcome, Outcome::kSticky) << "its conversations are here again";
}

TEST_F(ModelTest, AReplacedServerGetsTheNextRequestAndKeepsTheReplica) {
  model_.set_server_replicas(server_of(0, "old"), 1, 0, now());
  turn("s");
  const routing::Dispatch open = send("s");
  const Model::Destination before = model_.destination(open);
  model_.replace_server(server_of(0, "new"));
  EXPECT_EQ(before.server->api_key, "old");
  finish(open);
  const routing::Dispatch next = send("s");
  EXPECT_EQ(next.outcome, Outcome::kSticky);
  EXPECT_EQ(model_.destination(next).server->api_key, "new");
  finish(next);
}

TEST_F(ModelTest, AThousandServersThatComeAndGoLeaveNothingBehind) {
  std::vector<std::weak_ptr<UpstreamServer>> seen;
  std::uint64_t tokens = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    auto server = server_of(i);
    seen.emplace_back(server);
    model_.set_server_replicas(server, 1, 0, now());
    scrape(i, 100);
    scrape(i, 150);
    tokens += 50;
    const routing::Dispatch open = send("s");
    model_.remove_server(i, now());
    EXPECT_EQ(model_.destination(open).server, server) << "its open request still needs it";
    model_.tick(now());
    EXPECT_EQ(model_.destination(open).server, server);
    finish(open);
  }
  clock_.advance(routing::Settings{}.binding_ttl);
  model_.tick(now());
  model_.tick(now());
  EXPECT_TRUE(model_.idle());
  for (const auto& server : seen) EXPECT_TRUE(server.expired());
  const observe::ModelStatus status = model_.status(now());
  EXPECT_EQ(status.replicas.size(), 0u);
  EXPECT_EQ(status.retired.requests, 1000u);
  EXPECT_EQ(status.retired_engine.prompt_tokens, tokens);
}

TEST_F(ModelTest, ARequestSentToAServerWithoutARankKeepsItsServerUntilItEnds) {
  routing::Settings settings;
  settings.affinity = false;
  model_.set_settings(settings, now());
  auto server = server_of(0);
  const std::weak_ptr<UpstreamServer> seen = server;
  model_.set_server_replicas(server, 2, 0, now());
  const routing::Dispatch open = send("s");
  ASSERT_FALSE(open.replica);
  model_.remove_server(0, now());
  model_.tick(now());
  EXPECT_EQ(model_.destination(open).server, server);
  EXPECT_FALSE(model_.idle());
  finish(open);
  server.reset();
  model_.tick(now());
  EXPECT_TRUE(seen.expired());
  EXPECT_TRUE(model_.idle());
}

TEST_F(ModelTest, ARestartedServersReplicasAreCold) {
  model_.set_server_replicas(server_of(0), 2, 0, now());
  model_.set_server_replicas(server_of(1), 1, 0, now());
  for (int i = 0; i < 6; ++i) turn("s" + std::to_string(i));
  model_.on_restarted(0, now());
  for (const observe::ReplicaStatus& replica : model_.status(now()).replicas) {
    const bool cold = replica.routing.spec.target.server == 0;
    EXPECT_GT(replica.routing.bound, 0u);
    EXPECT_EQ(replica.routing.view.resident, cold ? 0u : replica.routing.bound);
  }
}

TEST_F(ModelTest, SavedBindingsOfReplicasThatNeverComeAreDroppedInTime) {
  routing::SavedBinding saved;
  saved.key = {"tenant", "m", "s", ""};
  saved.replica_label = "gone:8000";
  saved.idle = std::chrono::minutes(10);
  model_.import_bindings({saved}, now());
  EXPECT_EQ(model_.export_bindings(now()).size(), 1u);
  EXPECT_FALSE(model_.idle());
  clock_.advance(routing::Settings{}.binding_ttl);
  model_.tick(now());
  EXPECT_TRUE(model_.idle());
}

TEST_F(ModelTest, BindingsThatComeInPartsWaitTogetherAndKeepTheirAges) {
  using std::chrono::minutes;
  const std::string label = replica_label(*server_of(0), std::nullopt);
  for (const char* session : {"first", "second"}) {
    routing::SavedBinding saved;
    saved.key = {"tenant", "m", session, ""};
    saved.replica_label = label;
    saved.idle = minutes(10);
    model_.import_bindings({saved}, now());
    clock_.advance(minutes(5));
  }
  const auto ages = [this] {
    std::map<std::string, Duration> out;
    for (const auto& one : model_.export_bindings(now())) out[one.key.session] = one.idle;
    return out;
  };
  const std::map<std::string, Duration> expected{{"first", minutes(20)}, {"second", minutes(15)}};
  EXPECT_EQ(ages(), expected);
  model_.set_server_replicas(server_of(0), 1, 0, now());
  EXPECT_EQ(model_.status(now()).replicas.at(0).routing.bound, 2u);
  EXPECT_EQ(ages(), expected);
}

}  // namespace
}  // namespace berth::gateway
