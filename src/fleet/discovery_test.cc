#include "fleet/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/vllm_pages_fixture.h"

namespace berth::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Discovery, AModelWithItsRanksAndCapacity) {
  const auto models = served_models({{"Qwen/Qwen3-4B-Instruct-2507", "", "/m", 32768}},
                                    read_vllm_page(kPageTwoRanks), std::nullopt);
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].name, "Qwen/Qwen3-4B-Instruct-2507");
  EXPECT_EQ(models[0].ranks, 2u);
  EXPECT_EQ(models[0].kv_tokens_per_rank, 999u * 16);
  EXPECT_EQ(models[0].max_model_len, 32768u);
  EXPECT_THAT(models[0].aliases, IsEmpty());
  EXPECT_THAT(models[0].adapters, IsEmpty());
}

// `--served-model-name qwen gpt-4` lists both; the metrics are labelled with the first.
TEST(Discovery, SeveralNamesOfOneModelAreOneModelWithAliases) {
  const auto models =
      served_models({{"gpt-4", "", "/models/llama", 8192}, {"llama", "", "/models/llama", 8192}},
                    read_vllm_page(kPageOldNames), std::nullopt);
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].name, "llama");
  EXPECT_THAT(models[0].aliases, ElementsAre("gpt-4"));
}

TEST(Discovery, AdaptersBelongToTheModelTheirParentNames) {
  const auto models = served_models({{"a", "", "/a", 0},
                                     {"a2", "", "/a", 0},
                                     {"b", "", "/b", 0},
                                     {"lora-b", "b", "/lb", 0},
                                     {"lora-a", "a2", "/la", 0},
                                     {"lost", "nobody", "/x", 0}},
                                    VllmPage{}, std::nullopt);
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].name, "a");
  EXPECT_THAT(models[0].aliases, ElementsAre("a2"));
  EXPECT_THAT(models[0].adapters, ElementsAre("lora-a"));
  EXPECT_THAT(models[1].adapters, ElementsAre("lora-b"));
}

TEST(Discovery, AnAdapterOfAnUnlistedParentBelongsToTheOnlyModel) {
  const auto models =
      served_models({{"a", "", "", 0}, {"lora", "/path/of/base", "", 0}}, VllmPage{}, {});
  ASSERT_EQ(models.size(), 1u);
  EXPECT_THAT(models[0].adapters, ElementsAre("lora"));
}

TEST(Discovery, NamesWithoutARootAreModelsOfTheirOwn) {
  EXPECT_EQ(served_models({{"a", "", "", 0}, {"b", "", "", 0}}, VllmPage{}, {}).size(), 2u);
}

TEST(Discovery, WithoutMetricsTheSettingTellsTheRanks) {
  const auto models = served_models({{"a", "", "", 0}}, VllmPage{}, 4);
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].ranks, 4u);
  EXPECT_EQ(models[0].kv_tokens_per_rank, 0u);
}

TEST(Discovery, AnUnlistedLabelIsTheOnlyModels) {
  const std::vector<ListedModel> listed = {{"public-name", "", "/m", 0}};
  VllmPage page = read_vllm_page(kPageTwoRanks);
  adopt_only_label(page, listed);
  const auto models = served_models(listed, page, std::nullopt);
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].name, "public-name");
  EXPECT_EQ(models[0].ranks, 2u);
  EXPECT_EQ(models[0].kv_tokens_per_rank, 999u * 16);
}

TEST(Discovery, ALabelIsNotAdoptedWhenItIsNotClearWhose) {
  for (const auto& listed : {std::vector<ListedModel>{{"a", "", "/a", 0}, {"b", "", "/b", 0}},
                             std::vector<ListedModel>{{"Qwen/Qwen3-4B-Instruct-2507", "", "/m", 0}},
                             std::vector<ListedModel>{}}) {
    VllmPage page = read_vllm_page(kPageTwoRanks);
    adopt_only_label(page, listed);
    EXPECT_EQ(page.engines[0].model, "Qwen/Qwen3-4B-Instruct-2507");
  }
  VllmPage two = read_vllm_page(
      "vllm:num_requests_running{model_name=\"x\"} 1\nvllm:num_requests_running{model_name=\"y\"} "
      "1\n");
  adopt_only_label(two, {{"a", "", "/a", 0}});
  EXPECT_EQ(two.engines[0].model, "x");
}

}  // namespace
}  // namespace berth::fleet
