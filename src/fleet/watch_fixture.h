// A fleet that watches a scripted server on loopback at a fast cadence, and a listener that writes
// down what it hears: for tests only. Every wait ends with an event, not with a time.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet.h"
#include "fleet/health.h"
#include "fleet/scripted_server.h"

namespace berth::fleet {

// Writes down what it hears, as short lines.
class Recorder final : public Listener {
 public:
  void on_discovered(std::uint32_t server, const std::vector<ServedModel>& models) override {
    say(server, "discovered");
    discovered.push_back(models);
  }
  void on_scrape(std::uint32_t server, const std::vector<RankScrape>& ranks) override {
    if (scrapes.empty()) say(server, "scrape");
    scrapes.push_back(ranks);
  }
  void on_health(std::uint32_t server, Health health, const std::string& why) override {
    constexpr std::array kNames = {"up", "suspect", "down"};
    say(server, kNames[static_cast<std::size_t>(health)]);
    current = health;
    reason = why;
    reasons.push_back(why);
  }
  void on_restarted(std::uint32_t server) override { say(server, "restarted"); }
  void on_oddity(std::uint32_t server, const std::string& what) override {
    say(server, "oddity");
    oddity = what;
  }
  void on_rank_health(std::uint32_t, const std::string& model, std::uint32_t rank, Health health,
                      const std::string& why) override {
    rank_states[model + "#" + std::to_string(rank)] = {health, why};
  }
  void on_rank_missing(std::uint32_t, const std::string& model, std::uint32_t rank) override {
    missing.insert(model + "#" + std::to_string(rank));
  }
  std::uint32_t in_flight_on_rank(std::uint32_t, const std::string&,
                                  std::uint32_t rank) const override {
    return rank == busy_rank ? 1 : 0;
  }
  Health rank_health(const std::string& rank) const {
    const auto found = rank_states.find(rank);
    return found == rank_states.end() ? Health::kUp : found->second.health;
  }
  void on_scrape_failed(std::uint32_t, const std::string& why, bool stale) override {
    scrape_trouble = why;
    scrapes_stale = stale;
  }
  std::uint32_t in_flight(std::uint32_t) const override { return requests; }
  std::uint64_t response_bytes(std::uint32_t) const override { return bytes += bytes_a_look; }

  void say(std::uint32_t server, const std::string& what) {
    events.push_back(std::to_string(server) + " " + what);
  }

  std::vector<std::string> events;
  std::vector<std::vector<ServedModel>> discovered;
  std::vector<std::vector<RankScrape>> scrapes;
  std::vector<std::string> reasons;
  Health current = Health::kDown;
  std::string reason;
  std::string scrape_trouble;
  std::string oddity;
  bool scrapes_stale = false;
  std::map<std::string, HealthState> rank_states;  // told of
  std::set<std::string> missing;
  std::optional<std::uint32_t> busy_rank;
  std::uint32_t requests = 0;
  std::uint64_t bytes_a_look = 0;
  mutable std::uint64_t bytes = 0;
};

class FleetTest : public ::testing::Test {
 protected:
  FleetTest() {
    timings_.scrape_every = std::chrono::milliseconds(2);
    timings_.health_every = std::chrono::milliseconds(2);
    timings_.health_timeout = std::chrono::seconds(20);
    timings_.discover_every = std::chrono::hours(1);
    timings_.stale_after = std::chrono::hours(1);
    timings_.stuck_after = std::chrono::hours(1);
  }
  ~FleetTest() override {
    if (fleet_) fleet_->stop();
  }

  ServerSettings settings() const {
    ServerSettings s;
    s.url.host = "127.0.0.1";
    s.url.port = server_.port();
    return s;
  }
  void watch(ServerSettings s) {
    if (!fleet_) fleet_.emplace(io_, timings_, heard_);
    fleet_->add(std::move(s));
  }
  // Runs until it is so, at most half a minute.
  ::testing::AssertionResult until(const std::function<bool()>& so) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!so()) {
      if (std::chrono::steady_clock::now() > deadline) {
        return ::testing::AssertionFailure() << "did not happen; last reason: " << heard_.reason;
      }
      io_.run_one_for(std::chrono::milliseconds(100));
    }
    return ::testing::AssertionSuccess();
  }
  ::testing::AssertionResult until_health(Health health) {
    return until([this, health] { return heard_.current == health && !heard_.events.empty(); });
  }
  void watch_until_up() {
    server_.open();
    watch(settings());
    ASSERT_TRUE(until_health(Health::kUp));
  }
  // So many more answers to `path`, which shows that the loops went round.
  ::testing::AssertionResult rounds(const std::string& path, int count) {
    const int goal = server_.requests[path] + count;
    return until([this, path, goal] { return server_.requests[path] >= goal; });
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  net::asio::io_context io_{1};
  FleetTimings timings_;
  Recorder heard_;
  ScriptedServer server_{io_};
  std::optional<Fleet> fleet_;
};

}  // namespace berth::fleet
