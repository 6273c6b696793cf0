#include "sim/world.h"

#include <gtest/gtest.h>

#include <deque>
#include <utility>

#include "engine/presets.h"
#include "sim/agent_sessions.h"

namespace berth::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

WorldSettings small_world() {
  WorldSettings settings;
  settings.fleet.replica = engine::find_preset("a4000-qwen3-4b")->spec;
  return settings;
}

WindowResult run(const WorldSettings& settings, const Workload& workload, const PolicyEntry& policy,
                 std::uint32_t clients, Duration time, std::uint64_t seed = 1) {
  World world(settings, workload, policy, seed);
  world.set_clients(clients);
  world.open_window();
  world.run_for(time);
  EXPECT_LE(world.flights(), clients + 1) << "a client of the reference has one request at a time";
  return world.close_window();
}

WindowResult run(const WorldSettings& settings, const Workload& workload, std::string_view policy,
                 std::uint32_t clients, Duration time, std::uint64_t seed = 1) {
  return run(settings, workload, **find_policy(policy), clients, time, seed);
}

const AgentSessions& reference() {
  static const AgentSessions workload({});
  return workload;
}

TEST(World, AWarmFleetServesFourSessionsAsTheArithmeticSays) {
  const Measures m = run(small_world(), reference(), "on", 4, minutes(10)).measures;
  // A session on its own replica: 2.4 s for the first turn, some 0.3 s for later ones, and 256
  // tokens at 24 to 29 ms.
  EXPECT_NEAR(m.output_tokens_per_min, 7'450, 300);
  EXPECT_NEAR(m.ttfb_p50_s, 0.33, 0.05);
  EXPECT_NEAR(m.ttfb_p95_s, 2.57, 0.2);
  EXPECT_NEAR(m.prefix_hit_ratio, 0.87, 0.02);
  EXPECT_DOUBLE_EQ(m.stayed_ratio, 1);
  EXPECT_NEAR(m.sessions_per_hour, m.turns_per_min * 10, m.turns_per_min * 0.6);
}

TEST(World, EveryPolicyServesItsClients) {
  for (const PolicyEntry& policy : policies()) {
    const Measures m = run(small_world(), reference(), policy, 6, minutes(2)).measures;
    EXPECT_GT(m.output_tokens_per_min, 2'000) << policy.name;
    EXPECT_LT(m.ttfb_max_s, 180) << policy.name;
    EXPECT_EQ(m.errors, 0) << policy.name;
  }
}

TEST(World, EqualSeedsGiveEqualResultsAndOthersOthers) {
  const auto values = [](std::uint64_t seed) {
    std::vector<double> out;
    const WindowResult result = run(small_world(), reference(), "off", 16, minutes(3), seed);
    for (const MeasureField& field : measure_fields()) {
      out.push_back(result.measures.*field.value);
    }
    return out;
  };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
}

TEST(World, WithoutEvictionAllThatWasReadBeforeIsHit) {
  const Measures real = run(small_world(), reference(), "on", 24, minutes(3)).measures;
  const Measures oracle = run(small_world(), reference(), "oracle", 24, minutes(3)).measures;
  const Measures infinite = run(small_world(), reference(), "infinite", 24, minutes(3)).measures;
  EXPECT_LT(real.prefix_hit_ratio, 0.4);
  EXPECT_GT(real.reread_tokens_per_min, 100'000);
  for (const Measures& bound : {oracle, infinite}) {
    EXPECT_GT(bound.prefix_hit_ratio, 0.82);
    EXPECT_EQ(bound.reread_tokens_per_min, 0);
  }
  EXPECT_GT(oracle.output_tokens_per_min, real.output_tokens_per_min * 1.3);
  EXPECT_GT(infinite.output_tokens_per_min, oracle.output_tokens_per_min * 1.1);
}

WorldSettings four_servers(std::vector<FleetEvent> events) {
  WorldSettings settings = small_world();
  settings.fleet.topology = Topology::kServers;
  settings.events = std::move(events);
  return settings;
}

TEST(World, ALostServersClientsTryAgainElsewhere) {
  const WorldSettings settings = four_servers({{FleetEvent::Kind::kLost, 1, seconds(60)}});
  const WindowResult result = run(settings, reference(), "on", 12, minutes(5));
  EXPECT_GE(result.measures.errors, 3) << "what was in flight there";
  EXPECT_LE(result.measures.errors, 8);
  EXPECT_EQ(result.measures.unanswered + result.measures.errors > 0, true);
  EXPECT_LT(result.replicas[1].busy, 0.25);
  EXPECT_GT(result.replicas[0].busy, 0.95);
  EXPECT_LT(result.measures.stayed_ratio, 1);
}

TEST(World, ARestartedServerComesBackColdAndTakesSessionsAgain) {
  const WorldSettings settings = four_servers(
      {{FleetEvent::Kind::kLost, 1, seconds(60)}, {FleetEvent::Kind::kRestarted, 1, seconds(90)}});
  const WindowResult result = run(settings, reference(), "on", 12, minutes(10));
  EXPECT_GT(result.replicas[1].busy, 0.8);
  // Counters go on over the restart.
  EXPECT_GT(result.replicas[1].work.generation_tokens, 10'000U);
}

TEST(World, AnAddedServerTakesItsShare) {
  const WorldSettings settings = four_servers({{FleetEvent::Kind::kAdded, 0, seconds(60)}});
  const WindowResult result = run(settings, reference(), "on", 20, minutes(10));
  ASSERT_EQ(result.replicas.size(), 5U);
  EXPECT_GT(result.replicas[4].work.generation_tokens, 10'000U);
}

// Sends everything to the first server and never learns.
class Stubborn final : public Policy {
 public:
  Answer on_request(const PolicyRequest&, Instant) override { return Send{{0, std::nullopt}}; }
};

TEST(World, ARequestToADeadServerFailsAndComesAgain) {
  const PolicyEntry stubborn = {
      "stubborn", "", [](const PolicyContext&) { return std::unique_ptr<Policy>(new Stubborn); }};
  WorldSettings settings = four_servers(
      {{FleetEvent::Kind::kLost, 0, seconds(30)}, {FleetEvent::Kind::kRestarted, 0, seconds(60)}});
  const Measures m = run(settings, reference(), stubborn, 12, minutes(5)).measures;
  // One try every 1 s and a round trip, for thirty seconds, each.
  EXPECT_GT(m.errors, 12 * 20);
  EXPECT_LT(m.errors, 12 * 30);
  EXPECT_GT(m.ttfb_max_s, 30) << "the wait counts from the first try";
}

// Holds every request for ten seconds.
class Holding final : public Policy {
 public:
  Answer on_request(const PolicyRequest& request, Instant now) override {
    held_.emplace_back(now + seconds(10), request.id);
    return Hold{};
  }
  std::optional<Instant> next_tick() const override {
    return held_.empty() ? std::nullopt : std::optional(held_.front().first);
  }
  void on_tick(Instant now) override {
    while (!held_.empty() && held_.front().first <= now) {
      due_.push_back({held_.front().second, Send{{0, 0}}});
      held_.pop_front();
    }
  }
  void take_released(std::vector<Release>& out) override {
    out.insert(out.end(), due_.begin(), due_.end());
    due_.clear();
  }

 private:
  std::deque<std::pair<Instant, RequestNumber>> held_;
  std::vector<Release> due_;
};

TEST(World, AHeldRequestWaitsAtTheGatewayAndItsClientKnows) {
  const PolicyEntry holding = {
      "holding", "", [](const PolicyContext&) { return std::unique_ptr<Policy>(new Holding); }};
  const Measures m = run(small_world(), reference(), holding, 1, minutes(10)).measures;
  EXPECT_NEAR(m.ttfb_p50_s, 10.33, 0.05);
}

TEST(World, AParentWaitsForItsSubagents) {
  AgentSessionSettings settings;
  settings.subagent_share = 1;
  const AgentSessions workload(settings);
  World world(small_world(), workload, **find_policy("on"), 1);
  world.set_clients(1);
  std::uint64_t most = 0;
  for (int i = 0; i < 3'000; ++i) {
    world.run_for(std::chrono::milliseconds(100));
    most = std::max(most, world.flights());
    // A parent and up to three children; while children speak, their parent does not.
    ASSERT_LE(world.speakers(), 4U);
    ASSERT_LE(world.flights(), 3U);
  }
  EXPECT_EQ(most, 3U);
}

TEST(World, AnOpenLoopBeginsSessionsAtItsRateAndTogetherInBursts) {
  for (const Arrivals arrivals : {Arrivals::kPoisson, Arrivals::kBurst}) {
    WorldSettings settings = small_world();
    settings.arrivals = arrivals;
    settings.sessions_per_hour = 240;
    World world(settings, reference(), **find_policy("on"), 1);
    world.set_clients(0);
    world.run_for(minutes(5));
    world.open_window();
    std::uint64_t most = 0;
    for (int i = 0; i < 40 * 60; ++i) {
      const std::uint64_t before = world.speakers();
      world.run_for(seconds(1));
      most = std::max(most, world.speakers() - std::min(world.speakers(), before));
    }
    // Forty minutes of Poisson arrivals: 160 sessions, give or take 13; of bursts, 20 times 8,
    // give or take 36 sessions.
    const bool burst = arrivals == Arrivals::kBurst;
    EXPECT_NEAR(world.close_window().measures.sessions_per_hour, 240, burst ? 108 : 40);
    EXPECT_EQ(most >= kBurstSize - 2, burst) << most;
  }
}

TEST(World, OtherTrafficIsServedAndCountsAsNoSession) {
  WorldSettings settings = small_world();
  settings.other_per_min = 60;
  World world(settings, reference(), **find_policy("on"), 1);
  world.open_window();
  world.run_for(minutes(20));
  const Measures m = world.close_window().measures;
  EXPECT_NEAR(m.turns_per_min, 60, 6);
  EXPECT_EQ(m.sessions_per_hour, 0);
  EXPECT_NEAR(m.output_tokens_per_min, 60 * 30, 300);
}

TEST(World, FewerClientsLeaveWhenTheirSessionsEnd) {
  World world(small_world(), reference(), **find_policy("on"), 1);
  world.set_clients(8);
  world.run_for(minutes(5));
  EXPECT_EQ(world.speakers(), 8U);
  world.set_clients(2);
  world.run_for(minutes(5));
  EXPECT_EQ(world.speakers(), 2U);
}

TEST(CheckFleet, NamesWhatCannotWork) {
  FleetSettings fleet = small_world().fleet;
  EXPECT_TRUE(check_fleet(fleet, 15'000).has_value());
  EXPECT_EQ(check_fleet(fleet, 40'000).error().message,
            "kv_tokens: the largest request has 40000 tokens with its answer, and a replica with "
            "36000 tokens of KV holds 35984 at most");
  fleet.replicas = 0;
  EXPECT_EQ(check_fleet(fleet, 1).error().message, "replicas: must be at least 1");
}

}  // namespace
}  // namespace berth::sim
