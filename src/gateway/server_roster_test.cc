#include "gateway/server_roster.h"

#include <gtest/gtest.h>

#include "observe/log.h"

namespace berth::gateway {
namespace {

class ServerRosterTest : public ::testing::Test {
 protected:
  ServerRosterTest() { observe::set_log_level(observe::LogLevel::kOff); }
  ~ServerRosterTest() override {
    roster_.stop();
    io_.run_for(std::chrono::seconds(10));  // until the last check has ended
  }

  // Nobody listens at these.
  static config::Server server(const std::string& url, const std::string& key = "") {
    config::Server out;
    out.url = url;
    if (!key.empty()) out.api_key = config::Secret{key};
    return out;
  }
  void apply(std::vector<config::Server> servers) {
    config_.servers = std::move(servers);
    ASSERT_TRUE(roster_.apply(config_));
    io_.poll();
  }
  void discover(std::uint32_t index, std::uint32_t ranks = 1) {
    fleet::ServedModel model;
    model.name = "m";
    model.ranks = ranks;
    roster_.on_discovered(index, {model});
    roster_.on_health(index, fleet::Health::kUp, "");
  }
  std::size_t listed() const {
    std::size_t n = 0;
    for (const auto& model : models_.status(clock_.now())) n += model.replicas.size();
    return n;
  }
  // Those that something still holds.
  static std::size_t alive(const std::vector<std::weak_ptr<UpstreamServer>>& servers) {
    return static_cast<std::size_t>(
        std::count_if(servers.begin(), servers.end(), [](const auto& s) { return !s.expired(); }));
  }

  net::asio::io_context io_{1};
  ManualClock clock_;
  config::Config config_;
  ModelTable models_{config_, 1, clock_.now()};
  ServerRoster roster_{io_, config_, models_, clock_};
};

TEST_F(ServerRosterTest, OfAThousandKeysOneIsKept) {
  std::vector<std::weak_ptr<UpstreamServer>> seen;
  apply({server("http://127.0.0.1:1", "first")});
  discover(0);
  for (int i = 0; i < 1000; ++i) {
    apply({server("http://127.0.0.1:1", "key-" + std::to_string(i))});
    seen.emplace_back(roster_.servers().at(0));
  }
  EXPECT_EQ(roster_.servers().at(0)->index, 0u);
  EXPECT_EQ(roster_.servers().at(0)->api_key, "key-999");
  EXPECT_EQ(listed(), 1u);
  EXPECT_EQ(alive(seen), 1u);
}

TEST_F(ServerRosterTest, OfAThousandServersThatWereReplacedNothingIsKept) {
  std::vector<std::weak_ptr<UpstreamServer>> seen;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    apply({server("http://127.0.0.1:1/" + std::to_string(i), "key")});
    discover(i, 2);
    models_.tick(clock_.now());
    seen.emplace_back(roster_.servers().at(0));
  }
  EXPECT_EQ(listed(), 2u);
  EXPECT_EQ(alive(seen), 1u);
  apply({server("http://127.0.0.1:2")});
  models_.tick(clock_.now());
  EXPECT_EQ(models_.all().size(), 0u) << "no server has it, nothing names it";
}

TEST_F(ServerRosterTest, ARankThatIsDownStaysSoThroughAReload) {
  apply({server("http://127.0.0.1:1")});
  discover(0, 2);
  const auto states = [this] {
    std::vector<routing::ReplicaState> out;
    const auto models = models_.status(clock_.now());
    for (const auto& replica : models.at(0).replicas) {
      out.push_back(replica.routing.state);
    }
    return out;
  };
  using enum routing::ReplicaState;
  roster_.on_rank_health(0, "m", 1, fleet::Health::kDown, "hangs");
  EXPECT_EQ(states(), (std::vector{kUp, kDown}));
  models_.configure(config_, clock_.now());
  roster_.tell_health();
  EXPECT_EQ(states(), (std::vector{kUp, kDown}));
  roster_.on_rank_health(0, "m", 1, fleet::Health::kUp, "");
  EXPECT_EQ(states(), (std::vector{kUp, kUp}));
  roster_.on_rank_health(0, "m", 1, fleet::Health::kDown, "hangs");
  discover(0, 2);
  EXPECT_EQ(states(), (std::vector{kUp, kUp})) << "begins anew";
}

TEST_F(ServerRosterTest, ScrapesThatKeepFailingLeaveNoFigures) {
  apply({server("http://127.0.0.1:1")});
  discover(0);
  const auto scraped = [this] {
    return models_.status(clock_.now()).at(0).replicas.at(0).routing.scraped;
  };
  fleet::RankScrape scrape;
  scrape.model = "m";
  roster_.on_scrape(0, {scrape});
  roster_.on_scrape_failed(0, "trouble", false);
  EXPECT_TRUE(scraped());
  roster_.on_scrape_failed(0, "trouble", true);
  EXPECT_FALSE(scraped());
}

TEST_F(ServerRosterTest, OneReloadChangesAddsAndRemoves) {
  apply({server("http://127.0.0.1:1", "a"), server("http://127.0.0.1:2", "b")});
  discover(0);
  discover(1);
  const auto kept = roster_.servers().at(0);
  apply({server("http://127.0.0.1:3"), server("http://127.0.0.1:1", "a")});
  const auto now = roster_.servers();
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now.at(0), kept) << "nothing changed about it";
  EXPECT_EQ(now.at(1)->index, 2u);
  models_.tick(clock_.now());
  EXPECT_EQ(listed(), 1u);
}

TEST_F(ServerRosterTest, EveryServerHasALabelOfItsOwnThatAReloadDoesNotChange) {
  apply({server("https://127.0.0.1:1"), server("http://127.0.0.1:2/a")});
  apply({server("http://127.0.0.1:1"), server("http://127.0.0.1:2/b"),
         server("https://127.0.0.1:1", "key"), server("http://127.0.0.1:2/a"),
         server("http://127.0.0.1:2")});
  std::map<std::string, std::string> labels;
  for (const auto& one : roster_.status(clock_.now())) labels[one.url] = one.label;
  EXPECT_EQ(labels, (std::map<std::string, std::string>{
                        {"https://127.0.0.1:1", "127.0.0.1:1"},
                        {"http://127.0.0.1:1", "http://127.0.0.1:1"},
                        {"http://127.0.0.1:2", "127.0.0.1:2"},
                        {"http://127.0.0.1:2/a", "127.0.0.1:2/a"},
                        {"http://127.0.0.1:2/b", "127.0.0.1:2/b"},
                    }));
}

TEST_F(ServerRosterTest, WhatIsCountedAtAServerGoesOn) {
  apply({server("http://127.0.0.1:1", "a")});
  const auto before = roster_.servers().at(0);
  before->counts->in_flight = 3;
  apply({server("http://127.0.0.1:1", "b")});
  EXPECT_EQ(roster_.in_flight(0), 3u);
  before->counts->in_flight = 2;
  EXPECT_EQ(roster_.in_flight(0), 2u);
}

}  // namespace
}  // namespace berth::gateway
