#include <gtest/gtest.h>

#include "inspect/api.h"

namespace berth::inspect {
namespace {

TEST(Endpoints, KnowsWhatIsServedAndRefusesTheRest) {
  for (const char* path :
       {"/v1/messages", "/v1/messages/count_tokens", "/v1/chat/completions", "/v1/completions",
        "/v1/responses", "/v1/embeddings", "/v1/rerank", "/rerank", "/v2/rerank", "/score",
        "/v1/score", "/tokenize", "/detokenize"}) {
    ASSERT_NE(find_endpoint(path), nullptr) << path;
    EXPECT_EQ(find_endpoint(path)->path, path);
  }
  for (const char* path :
       {"", "/", "/v1/messages/", "/v1/Messages", "/v1/messages?beta=true", "/v1/responses/compact",
        "/v1/load_lora_adapter", "/invocations", "/metrics", "/v1/models", "/reset_prefix_cache"}) {
    EXPECT_EQ(find_endpoint(path), nullptr) << path;
  }
}

TEST(Endpoints, OnlyMessagesChatAndCompletionsHonourTheRankHeader) {
  for (const char* path : {"/v1/messages", "/v1/chat/completions", "/v1/completions"}) {
    EXPECT_FALSE(find_endpoint(path)->rank_blind) << path;
    EXPECT_TRUE(find_endpoint(path)->has_conversation) << path;
  }
  for (const char* path : {"/v1/responses", "/v1/messages/count_tokens", "/v1/embeddings",
                           "/v1/rerank", "/score", "/tokenize", "/detokenize"}) {
    EXPECT_TRUE(find_endpoint(path)->rank_blind) << path;
  }
  EXPECT_TRUE(find_endpoint("/v1/responses")->has_conversation);
}

TEST(Endpoints, CountingIsSideWork) {
  for (const char* path : {"/v1/messages/count_tokens", "/tokenize", "/detokenize"}) {
    EXPECT_TRUE(find_endpoint(path)->side) << path;
  }
  for (const char* path : {"/v1/messages", "/v1/embeddings", "/score"}) {
    EXPECT_FALSE(find_endpoint(path)->side) << path;
  }
}

}  // namespace
}  // namespace berth::inspect
