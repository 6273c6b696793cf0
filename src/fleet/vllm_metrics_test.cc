#include "fleet/vllm_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/vllm_pages_fixture.h"

namespace berth::fleet {
namespace {

using ::testing::Optional;

TEST(VllmPage, ReadsEachRankOfADataParallelServer) {
  const VllmPage page = read_vllm_page(kPageTwoRanks);
  ASSERT_EQ(page.engines.size(), 2u);
  const EngineReading& a = page.engines[0];
  EXPECT_EQ(a.model, "Qwen/Qwen3-4B-Instruct-2507");
  EXPECT_EQ(a.engine, 0u);
  EXPECT_THAT(a.running, Optional(3));
  EXPECT_THAT(a.waiting, Optional(2));
  EXPECT_THAT(a.kv_usage, Optional(0.93));
  EXPECT_THAT(a.prefix_queries, Optional(200000));
  EXPECT_THAT(a.prefix_hits, Optional(172800));
  EXPECT_THAT(a.prompt_tokens, Optional(190000));
  EXPECT_THAT(a.generation_tokens, Optional(5000));
  EXPECT_THAT(a.preemptions, Optional(4));
  EXPECT_THAT(a.cached_prompt_tokens, Optional(170000));
  const EngineReading& b = page.engines[1];
  EXPECT_EQ(b.engine, 1u);
  EXPECT_THAT(b.running, Optional(0));
  EXPECT_THAT(b.prefix_hits, Optional(32));
  EXPECT_EQ(b.cached_prompt_tokens, std::nullopt);
}

TEST(VllmPage, WorkIsTheSumOfWhatMovesWhenTheEngineSteps) {
  const VllmPage page = read_vllm_page(kPageTwoRanks);
  EXPECT_EQ(page.engines[0].work, 200000 + 4 + 190000 + 5000 + 23 + 6000);
  EXPECT_EQ(page.engines[1].work, 40000 + 0 + 39000 + 900);
}

TEST(VllmPage, ReadsTheNamesOfOldVersions) {
  const VllmPage page = read_vllm_page(kPageOldNames);
  ASSERT_EQ(page.engines.size(), 1u);
  const EngineReading& only = page.engines[0];
  EXPECT_EQ(only.engine, 0u);
  EXPECT_THAT(only.kv_usage, Optional(0.25));
  EXPECT_THAT(only.prefix_queries, Optional(1000));
  EXPECT_THAT(only.prefix_hits, Optional(640));
  EXPECT_THAT(only.prompt_tokens, Optional(900));
  EXPECT_THAT(only.preemptions, Optional(2));
}

TEST(VllmPage, OldAndNewNamesTogetherAreNotAdded) {
  const VllmPage page = read_vllm_page(kPageBothNames);
  ASSERT_EQ(page.engines.size(), 1u);
  EXPECT_THAT(page.engines[0].kv_usage, Optional(0.5));
  EXPECT_THAT(page.engines[0].prefix_queries, Optional(1000));
  EXPECT_THAT(page.engines[0].prefix_hits, Optional(600));
}

TEST(VllmPage, TheNewNameWinsInEitherOrder) {
  const VllmPage page = read_vllm_page(
      "vllm:kv_cache_usage_perc{engine=\"0\"} 0.7\nvllm:gpu_cache_usage_perc{engine=\"0\"} 0.1\n"
      "vllm:gpu_prefix_cache_hits_total{engine=\"0\"} "
      "5\nvllm:prefix_cache_hits_total{engine=\"0\"} 9\n");
  ASSERT_EQ(page.engines.size(), 1u);
  EXPECT_THAT(page.engines[0].kv_usage, Optional(0.7));
  EXPECT_THAT(page.engines[0].prefix_hits, Optional(9));
}

TEST(VllmPage, ModelsAreKeptApart) {
  const VllmPage page = read_vllm_page(
      "vllm:num_requests_running{engine=\"0\",model_name=\"b\"} 2\n"
      "vllm:num_requests_running{engine=\"0\",model_name=\"a\"} 1\n"
      "vllm:num_requests_running{engine=\"1\",model_name=\"a\"} 5\n");
  ASSERT_EQ(page.engines.size(), 3u);
  EXPECT_EQ(page.engines[0].model, "a");
  EXPECT_EQ(page.engines[1].engine, 1u);
  EXPECT_EQ(page.engines[2].model, "b");
}

TEST(VllmPage, APageOfSomethingElseIsEmpty) {
  EXPECT_TRUE(read_vllm_page("").engines.empty());
  EXPECT_TRUE(
      read_vllm_page("go_goroutines 7\nsglang:num_running_reqs{engine=\"0\"} 1\n").engines.empty());
  EXPECT_TRUE(read_vllm_page("<html>404</html>").engines.empty());
}

TEST(VllmPage, AnEngineLabelThatIsNoRankIsLeftOut) {
  const VllmPage page = read_vllm_page(
      "vllm:num_requests_running{engine=\"x\"} 1\nvllm:num_requests_running{engine=\"-1\"} 1\n"
      "vllm:num_requests_running{engine=\"4294967295\"} 1\n");
  EXPECT_TRUE(page.engines.empty());
}

TEST(VllmPage, IsBounded) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "vllm:num_requests_running{model_name=\"m" + std::to_string(i) + "\"} 1\n";
    text += "vllm:cache_config_info{model_name=\"m" + std::to_string(i) + "\"} 1\n";
  }
  const VllmPage page = read_vllm_page(text);
  EXPECT_EQ(page.engines.size(), 4096u);
  EXPECT_EQ(page.caches.size(), 4096u);
}

TEST(KvCapacity, SummedBlocksAreDividedByTheRanksLessTheNullBlock) {
  const VllmPage page = read_vllm_page(kPageTwoRanks);
  EXPECT_EQ(kv_tokens_per_rank(page, "Qwen/Qwen3-4B-Instruct-2507", 2), (1000u - 1) * 16);
}

TEST(KvCapacity, OneRankHasAllBlocksLessTheNullBlock) {
  EXPECT_EQ(kv_tokens_per_rank(read_vllm_page(kPageOldNames), "llama", 1), 572u * 16);
}

TEST(KvCapacity, TheEnginesOwnTokenCountIsOfOneRankAndWins) {
  EXPECT_EQ(kv_tokens_per_rank(read_vllm_page(kPageHybrid), "v4", 2), 1179648u);
}

TEST(KvCapacity, NoneOrNonsenseIsUnknown) {
  for (const std::string labels :
       {"", "block_size=\"None\",num_gpu_blocks=\"2000\"",
        "block_size=\"16\",num_gpu_blocks=\"None\"", "block_size=\"16\",num_gpu_blocks=\"1\"",
        "block_size=\"16\",num_gpu_blocks=\"0\"", "block_size=\"16\",num_gpu_blocks=\"-5\"",
        "block_size=\"1000000000000\",num_gpu_blocks=\"1000000000000\"",
        "block_size=\"16\",num_gpu_blocks=\"99999999999999999999\"",
        "kv_cache_size_tokens=\"None\""}) {
    const VllmPage page = read_vllm_page("vllm:cache_config_info{" + labels + "} 1\n");
    EXPECT_EQ(kv_tokens_per_rank(page, "m", 1), 0u) << labels;
  }
  EXPECT_EQ(kv_tokens_per_rank(VllmPage{}, "m", 1), 0u);
}

// The row exists before the engine has told its size.
TEST(KvCapacity, ARowWithoutASizeDoesNotHideOneWith) {
  const VllmPage page = read_vllm_page(
      "vllm:cache_config_info{engine=\"0\",block_size=\"16\",num_gpu_blocks=\"None\"} 1\n"
      "vllm:cache_config_info{engine=\"0\",block_size=\"16\",num_gpu_blocks=\"101\"} 1\n");
  EXPECT_EQ(kv_tokens_per_rank(page, "m", 1), 1600u);
}

TEST(KvCapacity, ARowThatNamesAModelIsThatModels) {
  const VllmPage page = read_vllm_page(
      "vllm:cache_config_info{model_name=\"a\",block_size=\"16\",num_gpu_blocks=\"11\"} 1\n"
      "vllm:cache_config_info{model_name=\"b\",block_size=\"16\",num_gpu_blocks=\"21\"} 1\n");
  EXPECT_EQ(kv_tokens_per_rank(page, "a", 1), 160u);
  EXPECT_EQ(kv_tokens_per_rank(page, "b", 1), 320u);
}

std::string engines(std::initializer_list<int> labels) {
  std::string text;
  for (const int label : labels) {
    text +=
        "vllm:num_requests_running{model_name=\"m\",engine=\"" + std::to_string(label) + "\"} 0\n";
  }
  return text;
}

TEST(RankLayout, CountsTheEnginesOfTheModel) {
  EXPECT_EQ(rank_layout(read_vllm_page(engines({0})), "m", {}), (RankLayout{0, 1}));
  EXPECT_EQ(rank_layout(read_vllm_page(engines({0, 1, 2, 3})), "m", {}), (RankLayout{0, 4}));
  EXPECT_EQ(rank_layout(read_vllm_page(engines({0, 1})), "other", {}), (RankLayout{0, 1}));
  EXPECT_EQ(rank_layout(read_vllm_page(""), "m", {}), (RankLayout{0, 1}));
}

TEST(RankLayout, ANodeWhoseLabelsBeginAboveZeroCountsItsRanksFromZero) {
  EXPECT_EQ(rank_layout(read_vllm_page(engines({4, 5, 6, 7})), "m", {}), (RankLayout{4, 4}));
  EXPECT_EQ(rank_layout(read_vllm_page(engines({3})), "m", {}), (RankLayout{3, 1}));
}

std::string many_engines(int from, int count) {
  std::string text;
  for (int i = from; i < from + count; ++i) text += engines({i});
  return text;
}

TEST(RankLayout, BelievesOnlyEnginesThatFollowEachOtherAndNotTooMany) {
  EXPECT_EQ(rank_layout(read_vllm_page(engines({0, 1023})), "m", {}), (RankLayout{0, 1}));
  EXPECT_EQ(rank_layout(read_vllm_page(engines({0, 1, 2, 7})), "m", {}), (RankLayout{0, 3}));
  EXPECT_EQ(rank_layout(read_vllm_page(engines({4, 5, 1000})), "m", {}), (RankLayout{4, 2}));
  EXPECT_EQ(rank_layout(read_vllm_page(many_engines(0, 256)), "m", {}), (RankLayout{0, 256}));
  EXPECT_EQ(rank_layout(read_vllm_page(many_engines(0, 1000)), "m", {}), (RankLayout{0, 256}));
  EXPECT_EQ(rank_layout(read_vllm_page(many_engines(0, 1000)), "m", 1000), (RankLayout{0, 1000}));
}

TEST(RankLayout, SaysWhatItLeavesOut) {
  EXPECT_EQ(odd_ranks(read_vllm_page(""), "m", {}), "");
  EXPECT_EQ(odd_ranks(read_vllm_page(engines({0, 1, 2, 3})), "m", {}), "");
  EXPECT_EQ(odd_ranks(read_vllm_page(engines({4, 5})), "m", {}), "");
  EXPECT_EQ(odd_ranks(read_vllm_page(engines({1, 2})), "m", 4), "");
  EXPECT_EQ(odd_ranks(read_vllm_page(engines({0, 1023})), "m", {}),
            "the metrics of m show 2 engines, labelled 0 to 1023 with a gap; 1 is taken for its "
            "ranks. Set the server's data_parallel_size if it has more");
  EXPECT_EQ(odd_ranks(read_vllm_page(many_engines(0, 300)), "m", {}),
            "the metrics of m show 300 engines, labelled 0 to 299, more than the 256 that are "
            "believed; 256 are taken for its ranks. Set the server's data_parallel_size if it has "
            "more");
  EXPECT_EQ(odd_ranks(read_vllm_page(engines({0, 1, 2, 3})), "m", 2),
            "the metrics of m show 4 engines, labelled 0 to 3, but data_parallel_size is 2: the "
            "others get no requests");
}

TEST(RankLayout, TheSettingDecidesTheCount) {
  EXPECT_EQ(rank_layout(read_vllm_page(""), "m", 4), (RankLayout{0, 4}));
  EXPECT_EQ(rank_layout(read_vllm_page(engines({1, 2})), "m", 4), (RankLayout{0, 4}));
  EXPECT_EQ(rank_layout(read_vllm_page(engines({4, 5})), "m", 2), (RankLayout{4, 2}));
  EXPECT_EQ(rank_layout(read_vllm_page(""), "m", 0), (RankLayout{0, 1}));
}

}  // namespace
}  // namespace berth::fleet
