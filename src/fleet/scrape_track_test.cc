#include "fleet/scrape_track.h"

#include <gtest/gtest.h>

#include "fleet/vllm_pages_fixture.h"

namespace berth::fleet {
namespace {

using std::chrono::seconds;

ServedModel model(std::string name) {
  ServedModel m;
  m.name = std::move(name);
  return m;
}

std::string page_of(double prompt, double generation,
                    const std::string& labels = "engine=\"0\",model_name=\"m\"") {
  return "vllm:prompt_tokens_total{" + labels + "} " + std::to_string(prompt) + "\n" +
         "vllm:generation_tokens_total{" + labels + "} " + std::to_string(generation) + "\n";
}

class ScrapeTrackTest : public ::testing::Test {
 protected:
  ScrapeTrack::Outcome update(const std::string& page) {
    const VllmPage read = read_vllm_page(page);
    for (ServedModel& one : models_) {
      const RankLayout layout = rank_layout(read, one.name, std::nullopt);
      one.ranks = layout.ranks;
      one.first_engine = layout.first_engine;
    }
    return track_.update(read, models_, now_);
  }
  ScrapeTrack track_;
  std::vector<ServedModel> models_{model("m")};
  Instant now_{seconds(100)};
};

TEST_F(ScrapeTrackTest, TellsEveryRank) {
  models_ = {model("Qwen/Qwen3-4B-Instruct-2507")};
  const auto outcome = update(kPageTwoRanks);
  ASSERT_EQ(outcome.ranks.size(), 2u);
  const RankScrape& a = outcome.ranks[0];
  EXPECT_EQ(a.model, "Qwen/Qwen3-4B-Instruct-2507");
  EXPECT_EQ(a.rank, 0u);
  EXPECT_EQ(a.running, 3u);
  EXPECT_EQ(a.waiting, 2u);
  EXPECT_DOUBLE_EQ(a.kv_usage, 0.93);
  EXPECT_EQ(a.prefix_queries, 200000u);
  EXPECT_EQ(a.prefix_hits, 172800u);
  EXPECT_EQ(a.prompt_tokens, 190000u);
  EXPECT_EQ(a.generation_tokens, 5000u);
  EXPECT_EQ(a.preemptions, 4u);
  EXPECT_EQ(a.cached_prompt_tokens, 170000u);
  EXPECT_EQ(outcome.ranks[1].rank, 1u);
  EXPECT_EQ(outcome.ranks[1].cached_prompt_tokens, std::nullopt);
  EXPECT_TRUE(outcome.worked);
  EXPECT_FALSE(outcome.restarted);
}

TEST_F(ScrapeTrackTest, CountersGoOnThroughARestartWhichIsTold) {
  update(page_of(1000, 50));
  EXPECT_FALSE(update(page_of(1200, 60)).restarted);
  const auto outcome = update(page_of(10, 1));
  EXPECT_TRUE(outcome.restarted);
  EXPECT_TRUE(outcome.worked);
  EXPECT_EQ(outcome.ranks[0].prompt_tokens, 1210u);
  EXPECT_EQ(outcome.ranks[0].generation_tokens, 61u);
}

TEST_F(ScrapeTrackTest, ACounterThatIsMissingOnceKeepsItsValue) {
  update(page_of(1000, 50));
  const auto outcome = update("vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 1\n");
  EXPECT_EQ(outcome.ranks[0].prompt_tokens, 1000u);
  EXPECT_FALSE(outcome.restarted);
}

TEST_F(ScrapeTrackTest, WorkedOnlyWhenSomethingMoved) {
  EXPECT_TRUE(update(page_of(10, 1)).worked);
  EXPECT_FALSE(update(page_of(10, 1)).worked);
  EXPECT_TRUE(update(page_of(10, 2)).worked);
}

// Steps of a long prefill end without an output: no counter moves, but the blocks they fill show.
TEST_F(ScrapeTrackTest, AGaugeThatMovesIsASignOfWorkToo) {
  const auto kv = [](const std::string& usage) {
    return page_of(10, 1) + "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} " + usage +
           "\n";
  };
  update(kv("0.1"));
  EXPECT_TRUE(update(kv("0.2")).ranks[0].moved);
  EXPECT_FALSE(update(kv("0.2")).ranks[0].moved);
}

TEST_F(ScrapeTrackTest, TellsWhichRankMoved) {
  const std::string one = "engine=\"1\",model_name=\"m\"";
  update(page_of(10, 1) + page_of(10, 1, one));
  const auto outcome = update(page_of(11, 1) + page_of(10, 1, one));
  ASSERT_EQ(outcome.ranks.size(), 2u);
  EXPECT_TRUE(outcome.ranks[0].moved);
  EXPECT_FALSE(outcome.ranks[1].moved);
}

TEST_F(ScrapeTrackTest, ARestartIsToldOnceHoweverManyPagesItsCountersFallOn) {
  const std::string one = "engine=\"1\",model_name=\"m\"";
  update(page_of(10, 9) + page_of(10, 9, one));
  EXPECT_TRUE(update(page_of(3, 9) + page_of(10, 9, one)).restarted);
  now_ += seconds(2);
  EXPECT_FALSE(update(page_of(3, 1) + page_of(10, 9, one)).restarted);
  now_ += seconds(2);
  const auto last = update(page_of(3, 1) + page_of(2, 2, one));
  EXPECT_FALSE(last.restarted);
  EXPECT_FALSE(last.erratic);
  now_ += seconds(60);
  EXPECT_TRUE(update(page_of(1, 1) + page_of(2, 2, one)).restarted);
}

TEST_F(ScrapeTrackTest, TwoEnginesThatAnswerInTurnAreErratic) {
  int restarts = 0;
  bool erratic = false;
  for (int i = 0; i < 10; ++i, now_ += seconds(1)) {
    const auto outcome = update(i % 2 == 0 ? page_of(1000, 100) : page_of(10, 1));
    restarts += outcome.restarted ? 1 : 0;
    erratic |= outcome.erratic;
  }
  EXPECT_EQ(restarts, 1);
  EXPECT_TRUE(erratic);
}

TEST_F(ScrapeTrackTest, GaugesAreMadeSane) {
  const auto outcome = update(
      "vllm:num_requests_running{model_name=\"m\"} NaN\n"
      "vllm:num_requests_waiting{model_name=\"m\"} -3\n"
      "vllm:kv_cache_usage_perc{model_name=\"m\"} 1.5\n");
  EXPECT_EQ(outcome.ranks[0].running, 0u);
  EXPECT_EQ(outcome.ranks[0].waiting, 0u);
  EXPECT_EQ(outcome.ranks[0].kv_usage, 1.0);
  EXPECT_EQ(update("vllm:num_requests_running{model_name=\"m\"} 1e12\n").ranks[0].running,
            4294967295u);
}

TEST_F(ScrapeTrackTest, RowsWithoutAModelBelongToTheOnlyModel) {
  const auto outcome = update("vllm:num_requests_running{engine=\"0\"} 4\n");
  ASSERT_EQ(outcome.ranks.size(), 1u);
  EXPECT_EQ(outcome.ranks[0].model, "m");
  models_.push_back(model("n"));
  EXPECT_TRUE(update("vllm:num_requests_running{engine=\"0\"} 4\n").ranks.empty());
}

TEST_F(ScrapeTrackTest, RowsWithoutAModelAreLeftOutWhereOthersBearItsName) {
  const std::string page = page_of(10, 1) + page_of(3, 3, "engine=\"0\"");
  EXPECT_EQ(update(page).ranks.size(), 1u);
  const auto again = update(page);
  ASSERT_EQ(again.ranks.size(), 1u);
  EXPECT_EQ(again.ranks[0].prompt_tokens, 10u);
  EXPECT_FALSE(again.worked);
  EXPECT_FALSE(again.restarted);
}

TEST_F(ScrapeTrackTest, TwoModelsOfOneServerAreCountedApart) {
  models_ = {model("a"), model("b")};
  const auto outcome = update(page_of(1, 1, "engine=\"0\",model_name=\"a\"") +
                              page_of(2, 2, "engine=\"0\",model_name=\"b\"") +
                              page_of(3, 3, "engine=\"0\",model_name=\"stranger\""));
  ASSERT_EQ(outcome.ranks.size(), 2u);
  EXPECT_EQ(outcome.ranks[0].prompt_tokens, 1u);
  EXPECT_EQ(outcome.ranks[1].prompt_tokens, 2u);
}

TEST_F(ScrapeTrackTest, ANodesEngineLabelsBecomeItsRanks) {
  const auto outcome = update(page_of(1, 1, "engine=\"6\",model_name=\"m\"") +
                              page_of(2, 2, "engine=\"7\",model_name=\"m\""));
  ASSERT_EQ(outcome.ranks.size(), 2u);
  EXPECT_EQ(outcome.ranks[0].rank, 0u);
  EXPECT_EQ(outcome.ranks[1].rank, 1u);
}

}  // namespace
}  // namespace berth::fleet
