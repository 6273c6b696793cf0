#include "console/snapshot_json.h"

#include <gtest/gtest.h>

#include "console/fake_source.h"

namespace berth::console {
namespace {

constexpr Instant kNow{std::chrono::hours(5)};

Json snapshot(const observe::FleetStatus& fleet) { return snapshot_json(fleet, kNow); }

TEST(SnapshotJson, SaysSinceWhen) {
  const Json json = snapshot(FakeSource::two_ranks(kNow).fleet);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["started"], "2026-09-21T14:13:20Z");
  EXPECT_EQ(json["uptime_s"], 7'380.0);
  EXPECT_EQ(json["draining"], false);
}

TEST(SnapshotJson, ModelCarriesItsSettingsAndOutcomes) {
  const Json model = snapshot(FakeSource::two_ranks(kNow).fleet)["models"][0];
  EXPECT_EQ(model["name"], "org/qwen3-4b");
  EXPECT_EQ(model["aliases"], Json::array({"claude-sonnet"}));
  EXPECT_EQ(model["affinity"], true);
  EXPECT_EQ(model["policy"], "sticky");
  const Json threshold{
      {"value", 8}, {"text", "8 (auto, assumed)"}, {"auto", true}, {"assumed", true}};
  EXPECT_EQ(model["overflow_threshold"], threshold);
  const Json outcomes{{"placed", 7},   {"sticky", 1'200}, {"overflow", 30}, {"moved", 2},
                      {"failover", 1}, {"unbound", 18},   {"refused", 3},   {"abandoned", 1}};
  EXPECT_EQ(model["outcomes"], outcomes);
  EXPECT_DOUBLE_EQ(model["sticky_share"].get<double>(), 1'200.0 / 1'233.0);
  EXPECT_EQ(model["advice"].size(), 1u);
}

TEST(SnapshotJson, ARankThatHangsSaysSoAndOneThatIsNotScrapedHasNoGauges) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  observe::ReplicaStatus& rank = fleet.models[0].replicas[0];
  rank.why = "nothing moves";
  rank.routing.scraped = false;
  const Json rows = snapshot(fleet)["models"][0]["replicas"];
  EXPECT_EQ(rows[0]["why"], "nothing moves");
  EXPECT_EQ(rows[0]["stale"], true);
  EXPECT_TRUE(rows[0]["running"].is_null());
  EXPECT_TRUE(rows[0]["kv_usage"].is_null());
  EXPECT_EQ(rows[1]["why"], "");
  EXPECT_EQ(rows[1]["running"], 0);
}

TEST(SnapshotJson, ReplicaCarriesCountersAndGauges) {
  const Json row = snapshot(FakeSource::two_ranks(kNow).fleet)["models"][0]["replicas"][0];
  EXPECT_EQ(row["label"], "gpu0:8000#0");
  EXPECT_EQ(row["server"], "http://gpu0:8000");
  EXPECT_EQ(row["rank"], 0);
  EXPECT_EQ(row["state"], "up");
  EXPECT_EQ(row["state_since_s"], 7'380.0);
  EXPECT_EQ(row["requests"], 1'040);
  EXPECT_EQ(row["sticky"], 1'000);
  EXPECT_EQ(row["running"], 3);
  EXPECT_EQ(row["waiting"], 1);
  EXPECT_EQ(row["in_flight"], 4);
  EXPECT_EQ(row["in_flight_peak"], 9);
  EXPECT_EQ(row["resident_tokens"], 38'200);
  EXPECT_EQ(row["kv_capacity_tokens"], 40'000);
  EXPECT_EQ(row["kv_usage"], 0.725);
  EXPECT_DOUBLE_EQ(row["prefix_hit_share"].get<double>(), 0.864);
  EXPECT_EQ(row["cached_tokens"], 1'800'000);
  EXPECT_EQ(row["unmeasured"], 1);
}

TEST(SnapshotJson, WhatTheEngineRoutedIsOnNoReplicasAccount) {
  const Json unranked = snapshot(FakeSource::two_ranks(kNow).fleet)["models"][0]["unranked"];
  EXPECT_EQ(unranked["requests"], 5);
  EXPECT_EQ(unranked["in_flight"], 1);
  EXPECT_EQ(unranked["prompt_tokens"], 40'000);
  EXPECT_EQ(unranked["cached_tokens"], 9'000);
}

TEST(SnapshotJson, SecondsAreCutToTheMillisecond) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.uptime = std::chrono::nanoseconds(1'234'567'891);
  EXPECT_EQ(snapshot(fleet)["uptime_s"].dump(), "1.234");
}

TEST(SnapshotJson, NoTrafficIsNullNotZero) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.models[0].outcomes = {};
  const Json model = snapshot(fleet)["models"][0];
  EXPECT_TRUE(model["sticky_share"].is_null());
  EXPECT_TRUE(model["replicas"][1]["prefix_hit_share"].is_null());
}

TEST(SnapshotJson, AStaleScrapeHidesTheGaugesButKeepsTheCounters) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.servers[0].scrape_age = kStaleAfter + std::chrono::milliseconds(1);
  const Json json = snapshot(fleet);
  const Json row = json["models"][0]["replicas"][0];
  EXPECT_EQ(json["servers"][0]["stale"], true);
  EXPECT_EQ(row["stale"], true);
  EXPECT_TRUE(row["running"].is_null());
  EXPECT_TRUE(row["waiting"].is_null());
  EXPECT_TRUE(row["kv_usage"].is_null());
  EXPECT_EQ(row["in_flight"], 4);
  EXPECT_EQ(row["engine"]["prefix_hits"], 1'728'000);
}

TEST(SnapshotJson, AReplicaNeverScrapedHasNoGauges) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.models[0].replicas[1].engine.reset();
  const Json row = snapshot(fleet)["models"][0]["replicas"][1];
  EXPECT_TRUE(row["running"].is_null());
  EXPECT_TRUE(row["kv_usage"].is_null());
  EXPECT_TRUE(row["engine"].is_null());
}

TEST(SnapshotJson, TotalsAddUp) {
  const Json json = snapshot(FakeSource::two_ranks(kNow).fleet);
  const Json totals = json["models"][0]["totals"];
  EXPECT_EQ(totals["requests"], 7 + 1'200 + 30 + 2 + 1 + 18);
  EXPECT_EQ(totals["in_flight"], 5);
  EXPECT_EQ(totals["prompt_tokens"], 2'040'000);
  EXPECT_EQ(totals["cached_tokens"], 1'809'000);
  EXPECT_EQ(totals["resident"], 7);
  EXPECT_EQ(totals["resident_tokens"], 39'150);
  EXPECT_EQ(totals["kv_capacity_tokens"], 80'000);
  EXPECT_DOUBLE_EQ(totals["prefix_hit_share"].get<double>(), 0.864);
  EXPECT_EQ(json["totals"], totals);  // one model
}

TEST(SnapshotJson, ATotalCapacityWithAnUnknownPartIsUnknown) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.models[0].replicas[1].routing.spec.kv_capacity_tokens = 0;
  const Json model = snapshot(fleet)["models"][0];
  EXPECT_TRUE(model["replicas"][1]["kv_capacity_tokens"].is_null());
  EXPECT_TRUE(model["totals"]["kv_capacity_tokens"].is_null());
}

TEST(SnapshotJson, ARemovedReplicaKeepsItsCountersAndSaysSo) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.models[0].replicas[0].routing.removed = true;
  const Json model = snapshot(fleet)["models"][0];
  EXPECT_EQ(model["replicas"][0]["state"], "removed");
  EXPECT_EQ(model["replicas"][0]["requests"], 1'040);
  EXPECT_EQ(model["totals"]["kv_capacity_tokens"], 40'000);
}

TEST(SnapshotJson, AnEmptyFleetIsADocumentToo) {
  const Json json = snapshot({});
  EXPECT_EQ(json["models"], Json::array());
  EXPECT_EQ(json["servers"], Json::array());
  EXPECT_TRUE(json["totals"]["sticky_share"].is_null());
  EXPECT_TRUE(json["totals"]["running"].is_null());
}

}  // namespace
}  // namespace berth::console
