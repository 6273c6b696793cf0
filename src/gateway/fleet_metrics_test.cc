#include "gateway/fleet_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/access_log.h"
#include "observe/catalogue.h"
#include "observe/log.h"

namespace berth::gateway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A fleet of one server with two ranks at which nobody listens: what it shows is told by hand.
class FleetMetricsTest : public ::testing::Test {
 protected:
  FleetMetricsTest() {
    observe::set_log_level(observe::LogLevel::kOff);
    shared_.set_live(*make_live_config(config_, hash_, nullptr, reaper_));
    register_fleet_metrics(shared_, roster_);
    configure("http://127.0.0.1:1");
    discover(0, 2);
  }
  ~FleetMetricsTest() override {
    roster_.stop();
    io_.run_for(std::chrono::seconds(10));  // until the last check has ended
  }

  void configure(const std::string& url) {
    config::Server server;
    server.url = url;
    config_.servers = {server};
    ASSERT_TRUE(roster_.apply(config_));
    io_.poll();
  }
  void discover(std::uint32_t server, std::uint32_t ranks, const std::string& name = "m") {
    fleet::ServedModel model;
    model.name = name;
    model.ranks = ranks;
    roster_.on_discovered(server, {model});
    roster_.on_health(server, fleet::Health::kUp, "");
  }
  void scrape(std::uint32_t rank) {
    fleet::RankScrape scrape;
    scrape.model = "m";
    scrape.rank = rank;
    scrape.running = 3;
    scrape.kv_usage = 0.5;
    roster_.on_scrape(0, {scrape});
  }
  std::shared_ptr<Model> model() { return models_.resolve("m")->model; }
  routing::Dispatch send(bool rank_blind) {
    routing::RequestFacts facts;
    facts.rank_blind = rank_blind;
    facts.conversation = routing::ConversationKey{"t", "m", "s", ""};
    return model()->with_router([&](routing::ModelRouter& router) {
      return std::get<routing::Dispatch>(router.on_request(facts, clock_.now()));
    });
  }
  void finish(const routing::Dispatch& dispatch) {
    model()->with_router([&](routing::ModelRouter& router) {
      router.on_finished(dispatch.ticket, {200, {1000, 400, 10}, true}, clock_.now());
    });
  }
  std::string text() {
    clock_.advance(std::chrono::seconds(1));  // past what one scrape remembers
    return registry_.text();
  }

  static constexpr const char* kRank0 = "{model=\"m\",replica=\"127.0.0.1:1#0\"}";
  static constexpr const char* kRank1 = "{model=\"m\",replica=\"127.0.0.1:1#1\"}";
  static constexpr const char* kNoRank = "{model=\"m\",replica=\"\"}";

  net::asio::io_context io_{1};
  ManualClock clock_;
  KeyedHash hash_ = KeyedHash::random();
  config::Config config_;
  observe::Registry registry_;
  ModelTable models_{config_, 1, clock_.now()};
  observe::LogReaper reaper_;
  SharedState shared_{clock_, hash_, registry_, models_, config_};
  ServerRoster roster_{io_, config_, models_, clock_};
};

TEST_F(FleetMetricsTest, EveryMetricOfTheCatalogueIsExported) {
  shared_.metrics.model("m");
  shared_.metrics.retry("m", "127.0.0.1:1#0");
  scrape(0);
  const std::string page = text();
  for (const observe::MetricSpec* spec : observe::catalogue()) {
    EXPECT_THAT(page, HasSubstr("# TYPE " + std::string(spec->name) + " "));
  }
}

TEST_F(FleetMetricsTest, AFigureThatIsNotScrapedIsNotShown) {
  const std::string running = "berth_replica_running_requests";
  EXPECT_THAT(text(), Not(HasSubstr(running)));
  scrape(0);
  scrape(1);
  EXPECT_THAT(text(), HasSubstr(running + kRank0 + " 3\n"));
  roster_.on_rank_missing(0, "m", 1);
  EXPECT_THAT(text(), HasSubstr(running + kRank0 + " 3\n"));
  EXPECT_THAT(text(), Not(HasSubstr(running + kRank1)));
  roster_.on_scrape_failed(0, "trouble", true);
  EXPECT_THAT(text(), Not(HasSubstr(running)));
  scrape(0);
  roster_.on_health(0, fleet::Health::kDown, "refused");
  const std::string down = text();
  EXPECT_THAT(down, Not(HasSubstr(running)));
  EXPECT_THAT(down, Not(HasSubstr("berth_replica_kv_usage_ratio{")));
  EXPECT_THAT(down, HasSubstr("berth_replica_prefix_hit_tokens_total" + std::string(kRank0)));
}

TEST_F(FleetMetricsTest, RequestsWithoutARankHaveAnEmptyReplicaAndTheSumIsEveryRequest) {
  EXPECT_THAT(text(), Not(HasSubstr("berth_requests_in_flight" + std::string(kNoRank))));
  finish(send(false));
  const routing::Dispatch blind = send(true);
  ASSERT_FALSE(blind.replica);
  EXPECT_THAT(text(), HasSubstr("berth_requests_in_flight" + std::string(kNoRank) + " 1\n"));
  finish(blind);
  const std::string page = text();
  EXPECT_THAT(page, HasSubstr("berth_requests_in_flight" + std::string(kNoRank) + " 0\n"));
  EXPECT_THAT(page, HasSubstr("berth_prompt_tokens_total" + std::string(kNoRank) + " 1000\n"));
  EXPECT_THAT(page,
              HasSubstr("berth_cached_prompt_tokens_total" + std::string(kNoRank) + " 400\n"));
  EXPECT_THAT(page,
              HasSubstr("berth_requests_total{model=\"m\",replica=\"\",outcome=\"unbound\"} 1\n"));
}

TEST_F(FleetMetricsTest, TheRequestsOfRemovedReplicasDoNotShowAsABurstUnderAnotherLabel) {
  finish(send(false));
  configure("http://127.0.0.1:2");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(text(),
                HasSubstr("berth_requests_total{model=\"m\",replica=\"\",outcome=\"placed\"} 0\n"));
    discover(1, 1);
    models_.tick(clock_.now());
  }
}

TEST_F(FleetMetricsTest, WhatIsGoneIsForgottenAndWhatIsThereIsKept) {
  const auto held = shared_.metrics.model("m");
  shared_.metrics.model("old");
  held->duration->observe(1);
  shared_.metrics.retry("m", "127.0.0.1:1#0");
  shared_.metrics.retry("m", "127.0.0.1:9");
  shared_.metrics.error(ErrorCode::kClientGone);
  shared_.metrics.forget_others(models_.status(clock_.now()));
  const std::string page = text();
  EXPECT_THAT(page, Not(HasSubstr("\"old\"")));
  EXPECT_THAT(page, Not(HasSubstr("127.0.0.1:9")));
  EXPECT_THAT(page, HasSubstr("berth_retries_total" + std::string(kRank0) + " 1\n"));
  EXPECT_THAT(page, HasSubstr("berth_request_duration_seconds_count{model=\"m\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("berth_errors_total{code=\"client_gone\"} 1\n"));
  EXPECT_EQ(shared_.metrics.model("m"), held);
}

TEST_F(FleetMetricsTest, TellsHowTheLastReloadWent) {
  EXPECT_THAT(text(), HasSubstr("berth_config_last_reload_successful 1\n"));
  EXPECT_THAT(text(), HasSubstr("berth_config_reloads_total{result=\"failed\"} 0\n"));
  shared_.metrics.reload(false, WallTime(std::chrono::seconds(500)));
  EXPECT_THAT(text(), HasSubstr("berth_config_last_reload_successful 0\n"));
  shared_.metrics.reload(true, WallTime(std::chrono::seconds(700)));
  const std::string page = text();
  EXPECT_THAT(page, HasSubstr("berth_config_last_reload_successful 1\n"));
  EXPECT_THAT(page, HasSubstr("berth_config_last_reload_timestamp_seconds 700\n"));
  EXPECT_THAT(page, HasSubstr("berth_config_reloads_total{result=\"ok\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("berth_config_reloads_total{result=\"failed\"} 1\n"));
}

}  // namespace
}  // namespace berth::gateway
