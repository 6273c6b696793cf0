// The watch of real servers on loopback, at a fast cadence; every wait ends with an event, not with
// a time.
#include "fleet/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/server_watch.h"
#include "fleet/watch_fixture.h"

namespace berth::fleet {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(FleetTest, DiscoversThenScrapesThenIsUp) {
  server_.ranks = 4;
  watch_until_up();
  EXPECT_THAT(heard_.events, ElementsAre("0 discovered", "0 scrape", "0 up"));
  ASSERT_EQ(heard_.discovered[0].size(), 1u);
  const ServedModel& model = heard_.discovered[0][0];
  EXPECT_EQ(model.name, "m");
  EXPECT_EQ(model.ranks, 4u);
  EXPECT_EQ(model.kv_tokens_per_rank, 1600u);
  EXPECT_EQ(model.max_model_len, 4096u);
  ASSERT_EQ(heard_.scrapes[0].size(), 4u);
  EXPECT_EQ(heard_.scrapes[0][3].rank, 3u);
  EXPECT_EQ(heard_.scrapes[0][3].running, 1u);
  EXPECT_EQ(heard_.scrapes[0][3].prompt_tokens, 1000u);
  EXPECT_EQ(heard_.reason, "");
}

TEST_F(FleetTest, KeepsScraping) {
  server_.work_a_scrape = 10;
  watch_until_up();
  ASSERT_TRUE(until([this] { return heard_.scrapes.size() >= 5; }));
  EXPECT_GT(heard_.scrapes[4][0].prompt_tokens, heard_.scrapes[0][0].prompt_tokens);
}

TEST_F(FleetTest, SaysThatAKeyIsMissing) {
  server_.key = "sk-right";
  server_.open();
  watch(settings());
  ASSERT_TRUE(until([this] { return !heard_.reasons.empty(); }));
  EXPECT_EQ(heard_.reason, url() + "/v1/models answered 401: set the server's api_key");
  EXPECT_EQ(heard_.current, Health::kDown);
  // The reason is told once, not at every round.
  ASSERT_TRUE(rounds("/v1/models", 3));
  EXPECT_EQ(heard_.reasons.size(), 1u);
}

TEST_F(FleetTest, SaysThatTheKeyIsWrongAndNeverTheKey) {
  server_.key = "sk-right";
  server_.open();
  ServerSettings s = settings();
  s.api_key = "sk-wrong";
  watch(std::move(s));
  ASSERT_TRUE(until([this] { return !heard_.reasons.empty(); }));
  EXPECT_EQ(
      heard_.reason,
      url() +
          "/v1/models answered 401: the server does not accept the api_key it is configured with");
  server_.key = "sk-wrong";
  ASSERT_TRUE(until_health(Health::kUp));
  EXPECT_THAT(heard_.reasons, Each(Not(HasSubstr("sk-"))));
}

TEST_F(FleetTest, SendsTheKeyAsABearerToken) {
  server_.key = "sk-right";
  server_.open();
  ServerSettings s = settings();
  s.api_key = "sk-right";
  watch(std::move(s));
  ASSERT_TRUE(until_health(Health::kUp));
  EXPECT_THAT(server_.authorizations, Each("Bearer sk-right"));
}

TEST_F(FleetTest, WithoutAKeySendsNone) {
  watch_until_up();
  EXPECT_THAT(server_.authorizations, Each(""));
}

TEST_F(FleetTest, AServerThatIsNotThereYetIsWatchedUntilItIs) {
  server_.open();
  server_.close();
  watch(settings());
  ASSERT_TRUE(until([this] { return !heard_.reasons.empty(); }));
  EXPECT_THAT(heard_.reason, AllOf(StartsWith(url() + "/health: "), HasSubstr("refused")));
  server_.open();
  ASSERT_TRUE(until_health(Health::kUp));
  EXPECT_THAT(heard_.events, ElementsAre("0 down", "0 discovered", "0 scrape", "0 up"));
}

TEST_F(FleetTest, AWrongUrlIsExplained) {
  server_.open();
  ServerSettings s = settings();
  s.url.prefix = "/v1";
  watch(std::move(s));
  ASSERT_TRUE(until([this] { return !heard_.reasons.empty(); }));
  EXPECT_EQ(
      heard_.reason,
      url() +
          "/v1/v1/models answered 404: is this the root of a vLLM server, its URL without /v1?");
}

TEST_F(FleetTest, SomethingThatIsNoModelListIsExplained) {
  server_.models = "<html>hello</html>";
  server_.open();
  watch(settings());
  ASSERT_TRUE(until([this] { return !heard_.reasons.empty(); }));
  EXPECT_THAT(heard_.reason, HasSubstr("/v1/models: the answer is not a model list"));
  server_.models = R"({"data":[]})";
  ASSERT_TRUE(until([this] { return heard_.reasons.size() > 1; }));
  EXPECT_EQ(heard_.reason, url() + "/v1/models lists no model");
}

TEST_F(FleetTest, ARefusedConnectionIsDownAndTheReturnUp) {
  watch_until_up();
  server_.close();
  ASSERT_TRUE(until_health(Health::kDown));
  EXPECT_THAT(heard_.reason, HasSubstr("refused"));
  server_.open();
  ASSERT_TRUE(until_health(Health::kUp));
  // The same models: not told again.
  EXPECT_EQ(heard_.discovered.size(), 1u);
}

TEST_F(FleetTest, WhatServesOtherThingsAfterARestartIsToldBeforeItIsUp) {
  watch_until_up();
  server_.close();
  ASSERT_TRUE(until_health(Health::kDown));
  server_.ranks = 2;
  server_.prompt_tokens = 0;
  server_.open();
  ASSERT_TRUE(until_health(Health::kUp));
  EXPECT_THAT(heard_.events, ElementsAre("0 discovered", "0 scrape", "0 up", "0 down",
                                         "0 discovered", "0 restarted", "0 up"));
  EXPECT_EQ(heard_.discovered[1][0].ranks, 2u);
}

TEST_F(FleetTest, ADeadEngineBehindALivingServerIsDown) {
  watch_until_up();
  server_.health_status = 503;
  ASSERT_TRUE(until_health(Health::kDown));
  EXPECT_EQ(heard_.reason, url() + "/health answered 503: its engine is dead or still starting");
  server_.health_status = 200;
  ASSERT_TRUE(until_health(Health::kUp));
}

TEST_F(FleetTest, AServerWithoutAHealthPageIsAlive) {
  server_.health_status = 404;
  watch_until_up();
}

TEST_F(FleetTest, AQuickRestartIsNoticedByItsCounters) {
  watch_until_up();
  server_.prompt_tokens = 30;
  ASSERT_TRUE(until([this] { return heard_.events.back() == "0 restarted"; }));
  EXPECT_EQ(heard_.scrapes.back()[0].prompt_tokens, 1030u);
  EXPECT_EQ(heard_.current, Health::kUp);
}

TEST_F(FleetTest, ModelsRanksAndCapacityAreToldAgainWhenTheyChange) {
  timings_.discover_every = milliseconds(2);
  watch_until_up();
  server_.ranks = 2;
  ASSERT_TRUE(until([this] { return heard_.discovered.back()[0].ranks == 2; }));
  server_.blocks = 201;
  ASSERT_TRUE(until([this] { return heard_.discovered.back()[0].kv_tokens_per_rank == 3200; }));
  server_.models = R"({"data":[{"id":"m","root":"/m"},{"id":"lora","root":"/l","parent":"m"}]})";
  ASSERT_TRUE(until([this] { return !heard_.discovered.back()[0].adapters.empty(); }));
  EXPECT_THAT(heard_.discovered.back()[0].adapters, ElementsAre("lora"));
  EXPECT_EQ(heard_.reasons, std::vector<std::string>{""});
}

TEST_F(FleetTest, AKeyThatIsNoLongerTakenIsDown) {
  timings_.discover_every = milliseconds(2);
  watch_until_up();
  server_.key = "changed";
  ASSERT_TRUE(until_health(Health::kDown));
  EXPECT_THAT(heard_.reason, HasSubstr("set the server's api_key"));
}

TEST_F(FleetTest, AModelListThatFailsForAMomentChangesNothing) {
  timings_.discover_every = milliseconds(2);
  watch_until_up();
  server_.models_status = 500;
  ASSERT_TRUE(rounds("/v1/models", 3));
  EXPECT_EQ(heard_.current, Health::kUp);
  EXPECT_EQ(heard_.events.size(), 3u);
}

TEST_F(FleetTest, WithoutMetricsItServesWithWhatIsConfigured) {
  server_.vllm_metrics = false;
  server_.open();
  ServerSettings s = settings();
  s.data_parallel_size = 2;
  watch(std::move(s));
  ASSERT_TRUE(until_health(Health::kUp));
  EXPECT_EQ(heard_.discovered[0][0].ranks, 2u);
  EXPECT_EQ(heard_.discovered[0][0].kv_tokens_per_rank, 0u);
  EXPECT_EQ(heard_.scrape_trouble,
            url() + "/metrics shows no vLLM metrics (was it started with --disable-log-stats?)");
}

TEST_F(FleetTest, ScrapesThatKeepFailingMakeTheNumbersStale) {
  timings_.stale_after = milliseconds(1);
  watch_until_up();
  server_.metrics_status = 500;
  ASSERT_TRUE(until([this] { return heard_.scrapes_stale; }));
  EXPECT_EQ(heard_.scrape_trouble, url() + "/metrics answered 500");
  EXPECT_EQ(heard_.current, Health::kUp);
}

TEST_F(FleetTest, ARankThatDisappearsForOnePageIsNotTold) {
  server_.ranks = 2;
  watch_until_up();
  server_.ranks = 1;
  ASSERT_TRUE(until([this] { return heard_.scrapes.back().size() == 1; }));
  server_.ranks = 2;
  ASSERT_TRUE(rounds("/metrics", 4));
  EXPECT_EQ(heard_.discovered.size(), 1u);
}

TEST_F(FleetTest, HangingChecksWithoutProgressAreSuspectThenDown) {
  timings_.health_timeout = milliseconds(40);
  watch_until_up();
  server_.health_hangs = true;
  ASSERT_TRUE(until_health(Health::kSuspect));
  EXPECT_THAT(heard_.reason,
              AllOf(StartsWith(url() + "/health: "), HasSubstr("did not answer within 0.04 s")));
  ASSERT_TRUE(until_health(Health::kDown));
  server_.health_hangs = false;
  ASSERT_TRUE(until_health(Health::kUp));
}

TEST_F(FleetTest, HangingChecksWhileTheCountersMoveAreABusyServer) {
  timings_.health_timeout = seconds(1);
  server_.work_a_scrape = 1;
  watch_until_up();
  server_.health_hangs = true;
  ASSERT_TRUE(rounds("/health", 3));  // two of them have gone unanswered
  EXPECT_EQ(heard_.events.back(), "0 up");
}

TEST_F(FleetTest, HangingChecksWhileResponsesFlowAreABusyServer) {
  timings_.health_timeout = milliseconds(40);
  heard_.bytes_a_look = 100;
  watch_until_up();
  server_.health_hangs = true;
  ASSERT_TRUE(rounds("/health", 5));
  EXPECT_EQ(heard_.events.back(), "0 up");
}

TEST_F(FleetTest, AnEngineThatHangsWithRequestsInFlightIsSuspectUntilItMoves) {
  timings_.stuck_after = milliseconds(20);
  watch_until_up();
  ASSERT_TRUE(rounds("/metrics", 20));
  EXPECT_EQ(heard_.current, Health::kUp);  // idle
  heard_.requests = 1;
  ASSERT_TRUE(until_health(Health::kSuspect));
  EXPECT_EQ(heard_.reason,
            url() + ": requests are in flight and nothing of its metrics has moved for 0.02 s");
  server_.work_a_scrape = 1;
  ASSERT_TRUE(until_health(Health::kUp));
}

TEST_F(FleetTest, AnImpossibleValueIsIgnoredAndToldOnce) {
  watch_until_up();
  server_.more_metrics = "vllm:prompt_tokens_total{engine=\"0\",model_name=\"m\"} NaN\n";
  ASSERT_TRUE(until([this] { return !heard_.oddity.empty(); }));
  EXPECT_THAT(heard_.oddity, HasSubstr("vllm:prompt_tokens_total"));
  server_.more_metrics.clear();
  ASSERT_TRUE(rounds("/metrics", 3));
  server_.more_metrics = "vllm:prompt_tokens_total{engine=\"0\",model_name=\"m\"} -1\n";
  ASSERT_TRUE(rounds("/metrics", 3));
  EXPECT_EQ(std::count(heard_.events.begin(), heard_.events.end(), "0 oddity"), 1);
  EXPECT_EQ(heard_.scrapes.back()[0].prompt_tokens, 1000u);
}

TEST_F(FleetTest, AHintChecksAtOnce) {
  timings_.health_every = seconds(60);
  watch_until_up();
  const int before = server_.requests["/health"];
  server_.health_status = 503;
  fleet_->hint_unreachable(0);
  ASSERT_TRUE(until_health(Health::kDown));
  EXPECT_EQ(server_.requests["/health"], before + 1);
}

TEST_F(FleetTest, NeverTwoRequestsForOnePageAtATime) {
  server_.delay = milliseconds(5);
  timings_.scrape_every = timings_.health_every = Duration(1);
  timings_.discover_every = Duration(1);
  watch_until_up();
  for (int i = 0; i < 20; ++i) {
    fleet_->hint_unreachable(0);
    ASSERT_TRUE(rounds("/health", 1));
  }
  for (const auto& [path, most] : server_.most_at_once) EXPECT_EQ(most, 1) << path;
}

TEST_F(FleetTest, ServersAreWatchedApart) {
  ScriptedServer other(io_);
  other.open();
  watch_until_up();
  ServerSettings s = settings();
  s.url.port = other.port();
  watch(std::move(s));
  ASSERT_TRUE(until([this] { return heard_.events.back() == "1 up"; }));
  other.close();
  ASSERT_TRUE(until([this] { return heard_.events.back() == "1 down"; }));
  EXPECT_THAT(heard_.events, Not(::testing::Contains("0 down")));
}

TEST_F(FleetTest, ARemovedServerIsNotHeardOfAgainAndIndexesStay) {
  watch_until_up();
  fleet_->remove(0);
  fleet_->hint_unreachable(0);
  const auto events = heard_.events.size();
  const auto scrapes = heard_.scrapes.size();
  server_.health_status = 503;
  watch(settings());
  ASSERT_TRUE(until([this] { return heard_.events.back() == "1 down"; }));
  EXPECT_EQ(heard_.events.size(), events + 1);
  EXPECT_EQ(heard_.scrapes.size(), scrapes);
}

TEST_F(FleetTest, AnotherKeyIsUsedAtOnceAndNothingElseChanges) {
  server_.key = "old";
  server_.open();
  ServerSettings s = settings();
  s.api_key = "old";
  watch(s);
  ASSERT_TRUE(until_health(Health::kUp));
  const auto events = heard_.events;
  server_.key = "new";
  s.api_key = "new";
  fleet_->change(0, s);
  ASSERT_TRUE(rounds("/v1/models", 1)) << "asks at once: the next listing is an hour away";
  EXPECT_EQ(server_.authorizations.back(), "Bearer new");
  ASSERT_TRUE(rounds("/metrics", 3));
  ASSERT_TRUE(rounds("/health", 3));
  EXPECT_EQ(heard_.events, events);
}

TEST_F(FleetTest, AnAnswerToTheOldKeyTellsNothing) {
  timings_.discover_every = Duration::zero();
  server_.key = "old";
  server_.open();
  ServerSettings s = settings();
  s.api_key = "old";
  watch(s);
  ASSERT_TRUE(until_health(Health::kUp));
  const auto events = heard_.events;
  server_.delay = milliseconds(50);
  ASSERT_TRUE(rounds("/v1/models", 2)) << "the second is under way now, with the old key";
  server_.key = "new";
  s.api_key = "new";
  fleet_->change(0, s);
  server_.delay = {};
  ASSERT_TRUE(rounds("/v1/models", 3));
  EXPECT_EQ(heard_.events, events) << heard_.reason;
}

TEST_F(FleetTest, AKeyThatIsNotTakenIsToldAndTheRightOneMendsIt) {
  server_.key = "right";
  server_.open();
  ServerSettings s = settings();
  s.api_key = "right";
  watch(s);
  ASSERT_TRUE(until_health(Health::kUp));
  s.api_key = "wrong";
  fleet_->change(0, s);
  ASSERT_TRUE(until_health(Health::kDown));
  EXPECT_THAT(heard_.reason, HasSubstr("401"));
  s.api_key = "right";
  fleet_->change(0, s);
  ASSERT_TRUE(until_health(Health::kUp));
  EXPECT_EQ(heard_.discovered.size(), 1u) << "its models are still known";
}

TEST_F(FleetTest, ADataParallelSizeThatIsChangedIsDiscovered) {
  server_.vllm_metrics = false;
  watch_until_up();
  ServerSettings s = settings();
  s.data_parallel_size = 2;
  fleet_->change(0, s);
  ASSERT_TRUE(until([this] { return heard_.discovered.size() == 2; }));
  EXPECT_EQ(heard_.discovered[1][0].ranks, 2u);
  EXPECT_EQ(heard_.current, Health::kUp);
}

TEST_F(FleetTest, AbsurdEngineLabelsMakeNoReplicasAndAreToldOnce) {
  server_.extra_engine = 1023;
  watch_until_up();
  EXPECT_EQ(heard_.discovered[0][0].ranks, 1u);
  ASSERT_TRUE(rounds("/metrics", 5));
  EXPECT_EQ(std::count(heard_.events.begin(), heard_.events.end(), "0 oddity"), 1);
  EXPECT_THAT(heard_.oddity, HasSubstr("0 to 1023"));
  EXPECT_EQ(heard_.scrapes.back().size(), 1u);
}

TEST_F(FleetTest, OfServersThatComeAndGoNothingIsKept) {
  watch_until_up();
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    watch(settings());
    fleet_->remove(i);
    if (i % 100 == 0) io_.run_one_for(milliseconds(1));
  }
  EXPECT_EQ(fleet_->watched(), 1u);
  fleet_->hint_unreachable(7);
  ASSERT_TRUE(rounds("/health", 2));
}

TEST_F(FleetTest, AfterStopNothingIsHeardAndTheLoopsEnd) {
  watch_until_up();
  fleet_->stop();
  server_.close();
  const auto events = heard_.events.size();
  const auto scrapes = heard_.scrapes.size();
  io_.restart();
  io_.run();  // ends only when no loop is left
  EXPECT_EQ(heard_.events.size(), events);
  EXPECT_EQ(heard_.scrapes.size(), scrapes);
}

TEST(PauseAfterScrape, KeepsTheCadenceAndYieldsToASlowServer) {
  EXPECT_EQ(pause_after_scrape(seconds(1), milliseconds(10)), milliseconds(990));
  EXPECT_EQ(pause_after_scrape(seconds(1), milliseconds(250)), milliseconds(750));
  EXPECT_EQ(pause_after_scrape(seconds(1), seconds(2)), seconds(6));
}

}  // namespace
}  // namespace berth::fleet
