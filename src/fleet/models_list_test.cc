#include "fleet/models_list.h"

#include <gtest/gtest.h>

namespace berth::fleet {
namespace {

TEST(ModelsList, ReadsModelsAndAdapters) {
  const auto models = parse_models_list(R"({"object":"list","data":[
      {"id":"qwen","object":"model","created":1,"owned_by":"vllm","root":"/models/qwen","parent":null,
       "max_model_len":32768,"permission":[{"id":"x"}]},
      {"id":"sql-lora","object":"model","root":"/loras/sql","parent":"qwen","permission":[]}]})");
  ASSERT_TRUE(models);
  ASSERT_EQ(models->size(), 2u);
  EXPECT_EQ((*models)[0].id, "qwen");
  EXPECT_EQ((*models)[0].root, "/models/qwen");
  EXPECT_EQ((*models)[0].parent, "");
  EXPECT_EQ((*models)[0].max_model_len, 32768u);
  EXPECT_EQ((*models)[1].parent, "qwen");
  EXPECT_EQ((*models)[1].max_model_len, 0u);
}

TEST(ModelsList, OddEntriesAreSkippedOddMembersAreUnknown) {
  const auto models = parse_models_list(
      R"({"data":[7,null,{"id":""},{"id":5},{"root":"x"},{"id":"m","max_model_len":"many","parent":3,"root":null}]})");
  ASSERT_TRUE(models);
  ASSERT_EQ(models->size(), 1u);
  EXPECT_EQ((*models)[0].id, "m");
  EXPECT_EQ((*models)[0].max_model_len, 0u);
  EXPECT_EQ((*models)[0].parent, "");
}

TEST(ModelsList, AnythingElseIsAnError) {
  for (const std::string_view body : {"", "<html>", "[]", "{}", R"({"data":{}})", R"({"data":[)",
                                      R"({"error":"Unauthorized"})", "null"}) {
    const auto models = parse_models_list(body);
    ASSERT_FALSE(models) << body;
    EXPECT_EQ(models.error().code, ErrorCode::kUpstreamBadResponse);
    EXPECT_NE(models.error().message.find("not a model list"), std::string::npos);
  }
}

TEST(ModelsList, IsBounded) {
  std::string body = R"({"data":[{"id":")" + std::string(2000, 'x') + R"("})";
  for (int i = 0; i < 2000; ++i) body += R"(,{"id":"m)" + std::to_string(i) + "\"}";
  const auto models = parse_models_list(body + "]}");
  ASSERT_TRUE(models);
  EXPECT_EQ(models->size(), 1024u);
  EXPECT_EQ(models->front().id, "m0");
}

}  // namespace
}  // namespace berth::fleet
