#include "sim/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/presets.h"
#include "sim/agent_sessions.h"
#include "sim/explain.h"
#include "sim/published.h"
#include "sim/rows.h"

namespace berth::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const AgentSessions& reference() {
  static const AgentSessions workload({});
  return workload;
}

std::vector<Run> two_by_two() {
  std::vector<Run> runs;
  for (const char* policy : {"on", "off"}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      Run run;
      run.policy = *find_policy(policy);
      run.seed = seed;
      run.world.fleet.replica = engine::find_preset("a4000-qwen3-4b")->spec;
      run.workload = &reference();
      run.stages = {{4, {}}, {16, 1.5}};
      run.measured = std::chrono::minutes(2);
      runs.push_back(run);
    }
  }
  return runs;
}

std::string json_of(unsigned threads) {
  return to_json({{{"reference", "published"}, run_all(two_by_two(), threads, {})}});
}

TEST(Experiment, TheRowsAreTheSameToTheByteOnAnyNumberOfThreads) {
  EXPECT_EQ(json_of(1), json_of(3));
}

TEST(Experiment, ProgressCountsTheStagesToTheirEnd) {
  std::vector<std::size_t> seen;
  run_all(two_by_two(), 2, [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(all, 8U);
    seen.push_back(done);
  });
  EXPECT_THAT(seen, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

// The names are a contract with users' scripts.
TEST(Rows, CarryTheFieldsOfTheContract) {
  const auto rows = nlohmann::json::parse(json_of(2));
  ASSERT_EQ(rows.size(), 8U);
  for (const char* field : {"policy", "stage", "seed", "output_tokens_per_min", "turns_per_min",
                            "sessions_per_hour", "ttfb_p50_s", "ttfb_p95_s", "ttfb_p95_km_s",
                            "ttfb_max_s", "session_mean_s", "session_p95_s", "prefix_hit_ratio",
                            "prefix_hit_ratio_per_attempt", "stayed_ratio", "replicas_busy"}) {
    EXPECT_TRUE(rows[0].contains(field)) << field;
  }
  EXPECT_EQ(rows[0]["policy"], "on");
  EXPECT_FALSE(rows[0].contains("ratio"));
  EXPECT_EQ(rows[1]["stage"], 16);
  EXPECT_EQ(rows[1]["ratio"], 1.5);
  EXPECT_EQ(rows[7]["policy"], "off");
  EXPECT_EQ(rows[7]["seed"], 2);
}

TEST(Rows, TheCsvHasTheSameInColumns) {
  const std::string csv = to_csv({{{"reference", "published"}, run_all(two_by_two(), 2, {})}});
  EXPECT_THAT(csv, StartsWith("workload,protocol,policy,stage,ratio,seed,window,"
                              "output_tokens_per_min,"));
  EXPECT_THAT(csv, HasSubstr("\nreference,published,on,4,,1,0,"));
  EXPECT_THAT(csv, HasSubstr("\nreference,published,off,16,1.5,2,0,"));
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  EXPECT_EQ(commas(csv.substr(0, csv.find('\n'))) * 9, commas(csv));
}

TEST(Published, AreTheTenCells) {
  EXPECT_EQ(published_cells().size(), 10U);
  EXPECT_DOUBLE_EQ(published_cell(24, true)->measures.ttfb_p50_s, 13.14);
  EXPECT_EQ(published_cell(12, true), nullptr);
}

ReplicaAccount account(double prefill, double decode, double blocked) {
  ReplicaAccount one;
  one.label = "gpu0:8000";
  one.window_s = 100;
  one.work.prefill_seconds = prefill;
  one.work.decode_seconds = decode;
  one.work.kv_blocked_seconds = blocked;
  one.work.prefill_tokens = 1'000;
  one.reread_evicted = 400;
  one.waiting = 2.5;
  return one;
}

TEST(Explain, SaysWhatLimitedAReplica) {
  EXPECT_THAT(what_limited(account(10, 20, 0)), HasSubstr("nothing to do 70 % of the time"));
  EXPECT_THAT(what_limited(account(50, 45, 60)),
              HasSubstr("its KV cache was full: 60 % of the time 2.5 requests"));
  EXPECT_THAT(what_limited(account(50, 45, 60)), HasSubstr("40 % of the prompt tokens"));
  EXPECT_THAT(what_limited(account(60, 35, 0)), HasSubstr("computing prompts took 60 %"));
  EXPECT_THAT(what_limited(account(20, 75, 0)), HasSubstr("generating tokens"));
}

TEST(Explain, NamesEveryReplicaItsWasteAndWhatThePolicyCounted) {
  WindowResult result;
  result.replicas = {account(50, 45, 60)};
  result.notes = {"requests since the start by outcome: sticky 5"};
  const std::vector<std::string> lines = explain(result);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], HasSubstr("queue behind KV  60 %"));
  EXPECT_THAT(lines[1], HasSubstr("again because evicted 400 (40 %)"));
  EXPECT_EQ(lines[3], result.notes[0]);
}

}  // namespace
}  // namespace berth::sim
