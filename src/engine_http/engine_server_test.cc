// The HTTP face over loopback: endpoints, usage, ranks, keys, errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_http/engine_fixture.h"

namespace berth::engine_http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class EngineServerTest : public EngineFixture {};

Json chat_body(const std::string& text) {
  return {{"model", "test/model"}, {"messages", {{{"role", "user"}, {"content", text}}}}};
}
Json messages_body(const std::string& text) {
  Json body = chat_body(text);
  body["max_tokens"] = 64;
  return body;
}
std::string long_text() { return std::string(4'000, 'x'); }

TEST_F(EngineServerTest, AnswersEveryApiWholeAndAsAStream) {
  start();
  const std::vector<std::pair<std::string, Json>> requests = {
      {"/v1/messages?beta=true", messages_body("hi")},
      {"/v1/chat/completions", chat_body("hi")},
      {"/v1/completions", {{"model", "test/model"}, {"prompt", "hi"}}},
      {"/v1/responses", {{"model", "test/model"}, {"input", "hi"}}}};
  for (auto [path, body] : requests) {
    auto response = fetch(post(path, body));
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.header("content-type"), "application/json");
    EXPECT_EQ(Json::parse(response.body)["model"], "test/model");
    body["stream"] = true;
    response = fetch(post(path, body));
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_THAT(std::string(response.header("content-type")), StartsWith("text/event-stream"));
  }
  EXPECT_EQ(server_->in_flight(), 0u);
  EXPECT_EQ(server_->stats()[0].finished, 8u);
}

TEST_F(EngineServerTest, StreamsEndAsVllmEndsThem) {
  start();
  Json body = messages_body("hi");
  body["stream"] = true;
  EXPECT_THAT(fetch(post("/v1/messages", body)).body,
              EndsWith("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
  EXPECT_THAT(fetch(post("/v1/chat/completions", body)).body, EndsWith("data: [DONE]\n\n"));
}

TEST_F(EngineServerTest, TheNextTurnIsReadFromTheCacheInAnyApi) {
  start();
  const Json first = Json::parse(fetch(post("/v1/chat/completions", chat_body(long_text()))).body);
  EXPECT_EQ(first["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
  const std::string answer = first["choices"][0]["message"]["content"];
  Json body = messages_body(long_text());
  body["messages"].push_back({{"role", "assistant"}, {"content", answer}});
  body["messages"].push_back({{"role", "user"}, {"content", "and now?"}});
  const Json usage = Json::parse(fetch(post("/v1/messages", body)).body)["usage"];
  const std::uint64_t before = first["usage"]["total_tokens"];
  const std::uint64_t cached = usage["cache_read_input_tokens"];
  EXPECT_EQ(cached, (before - 1) / 16 * 16) << "prompt and answer, all but the last block";
  // The answer is not shorter than one block, so some of it is among the cached.
  EXPECT_GT(cached, first["usage"]["prompt_tokens"].get<std::uint64_t>());
  EXPECT_GT(usage["input_tokens"].get<std::uint64_t>(), 0u);
}

TEST_F(EngineServerTest, WithoutDetailsNoCachedTokensAreTold) {
  options_.prompt_tokens_details = false;
  start();
  const Json chat = Json::parse(fetch(post("/v1/chat/completions", chat_body("hi"))).body);
  EXPECT_EQ(chat["usage"]["prompt_tokens_details"], nullptr);
  const Json messages = Json::parse(fetch(post("/v1/messages", messages_body("hi"))).body);
  EXPECT_FALSE(messages["usage"].contains("cache_read_input_tokens"));
}

TEST_F(EngineServerTest, TheRankHeaderIsObeyedWhereVllmObeysIt) {
  options_.spec.ranks = 4;
  options_.spec.api_processes = 1;
  start();
  const auto served_by = [this](const std::string& path, const Json& body) {
    std::vector<std::uint64_t> before;
    for (const auto& rank : server_->stats()) before.push_back(rank.finished);
    auto request = post(path, body);
    request.headers.emplace_back("X-Data-Parallel-Rank", "2");
    EXPECT_EQ(fetch(std::move(request)).status, 200);
    const auto after = server_->stats();
    for (std::size_t rank = 0; rank < after.size(); ++rank) {
      if (after[rank].finished != before[rank]) return rank;
    }
    return after.size();
  };
  EXPECT_EQ(served_by("/v1/chat/completions", chat_body("a")), 2u);
  EXPECT_EQ(served_by("/v1/messages", messages_body("a")), 2u);
  EXPECT_EQ(served_by("/v1/completions", {{"prompt", "a"}}), 2u);
  // The balancer begins with rank 0, and these are too few to bring it to rank 2.
  EXPECT_LT(served_by("/v1/responses", {{"input", "a"}}), 2u);
  EXPECT_LT(served_by("/v1/embeddings", {{"input", "a"}}), 2u);
}

TEST_F(EngineServerTest, ARankThatDoesNotExistIs400OrAnErrorInTheStream) {
  options_.spec.ranks = 4;
  start();
  auto request = post("/v1/chat/completions", chat_body("a"));
  request.headers.emplace_back("X-data-parallel-rank", "4");
  auto response = fetch(request);
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("data_parallel_rank 4 is out of range [0, 4)."));
  Json body = chat_body("a");
  body["stream"] = true;
  request.body = body.dump();
  response = fetch(request);
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, StartsWith("data: {\"error\":{"));
  EXPECT_THAT(response.body, EndsWith("data: [DONE]\n\n"));
  EXPECT_EQ(server_->in_flight(), 0u);
}

TEST_F(EngineServerTest, ARankHeaderThatIsNoNumberIsIgnored) {
  start();
  auto request = post("/v1/chat/completions", chat_body("a"));
  request.headers.emplace_back("X-data-parallel-rank", "first");
  EXPECT_EQ(fetch(std::move(request)).status, 200);
}

TEST_F(EngineServerTest, TheKeyGuardsTheV1PathsAndOnlyAsABearerToken) {
  options_.api_key = "secret";
  start();
  const auto status = [this](const std::string& path, http::ClientRequest request) {
    request.path = path;
    return fetch(std::move(request)).status;
  };
  http::ClientRequest none;
  http::ClientRequest bearer;
  bearer.headers = {{"Authorization", "Bearer secret"}};
  http::ClientRequest wrong;
  wrong.headers = {{"Authorization", "Bearer secrets"}};
  http::ClientRequest api_key;
  api_key.headers = {{"x-api-key", "secret"}};
  EXPECT_EQ(status("/v1/models", none), 401);
  EXPECT_EQ(status("/v1/models", wrong), 401);
  EXPECT_EQ(status("/v1/models", api_key), 401);
  EXPECT_EQ(status("/v1/models", bearer), 200);
  EXPECT_EQ(status("/health", none), 200);
  EXPECT_EQ(status("/metrics", none), 200);
  none.path = "/v1/models";
  EXPECT_EQ(fetch(std::move(none)).body, R"({"error":"Unauthorized"})");
}

TEST_F(EngineServerTest, ModelsHasEveryServedName) {
  start();
  const Json body = Json::parse(get("/v1/models").body);
  ASSERT_EQ(body["data"].size(), 2u);
  EXPECT_EQ(body["data"][1]["id"], "alias");
  EXPECT_EQ(body["data"][1]["root"], "test/model");
  EXPECT_EQ(body["data"][0]["max_model_len"], 35'984);
  Json request = chat_body("a");
  request["model"] = "alias";
  const Json answer = Json::parse(fetch(post("/v1/chat/completions", request)).body);
  EXPECT_EQ(answer["model"], "test/model") << "vLLM answers with the first name";
}

TEST_F(EngineServerTest, ErrorsHaveVllmsShapes) {
  start();
  Json body = messages_body("a");
  body["model"] = "other";
  auto response = fetch(post("/v1/messages", body));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, R"({"type":"error","error":{"type":"NotFoundError",)"
                           R"("message":"The model `other` does not exist."}})");
  response = fetch(post("/v1/chat/completions", body));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(Json::parse(response.body)["error"]["param"], "model");
  response = fetch(post("/v1/messages", {{"model", "test/model"}}));
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(Json::parse(response.body)["error"]["type"], "Bad Request") << "OpenAI's shape";
  response = fetch(post("/v1/chat/completions", Json::array()));
  EXPECT_EQ(response.status, 400);
  auto broken = post("/v1/chat/completions", Json());
  broken.body = "{";
  EXPECT_THAT(fetch(std::move(broken)).body, HasSubstr("json_invalid"));
  auto text = post("/v1/chat/completions", chat_body("a"));
  text.headers = {{"Content-Type", "text/plain"}};
  EXPECT_THAT(fetch(std::move(text)).body, HasSubstr("Unsupported Media Type"));
  EXPECT_EQ(get("/nothing").status, 404);
  EXPECT_EQ(get("/v1/messages").status, 405);
}

TEST_F(EngineServerTest, APromptThatIsTooLongIsRefusedInVllmsWords) {
  options_.spec.kv_tokens = 1'600;
  start();
  const auto response = fetch(post("/v1/chat/completions", chat_body(std::string(8'000, 'x'))));
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body,
              HasSubstr("This model's maximum context length is 1584 tokens. However, "
                        "your request has 2003 input tokens."));
}

TEST_F(EngineServerTest, MoreTokensThanFitAreCut) {
  options_.spec.kv_tokens = 1'600;
  start();
  Json body = messages_body("x");
  body["max_tokens"] = 32'000;
  EXPECT_EQ(fetch(post("/v1/messages", body)).status, 200);
}

TEST_F(EngineServerTest, CountsAndTranslatesTokens) {
  start();
  const auto counted = fetch(post("/v1/messages/count_tokens?beta=true", chat_body("four")));
  EXPECT_EQ(counted.body, R"({"input_tokens":4})");
  const Json usage = Json::parse(fetch(post("/v1/messages", messages_body("four"))).body)["usage"];
  EXPECT_EQ(usage["input_tokens"], 4) << "what count_tokens said";
  const Json tokens = Json::parse(fetch(post("/tokenize", {{"prompt", "hello"}})).body);
  EXPECT_EQ(tokens["count"], 2);
  EXPECT_EQ(fetch(post("/detokenize", {{"tokens", tokens["tokens"]}})).body,
            R"({"prompt":"hello"})");
  EXPECT_EQ(Json::parse(fetch(post("/tokenize", chat_body("four"))).body)["count"], 4);
}

TEST_F(EngineServerTest, PoolsEmbeddingsRanksAndScores) {
  start();
  Json body = {{"model", "test/model"}, {"input", {"a", "b"}}, {"dimensions", 3}};
  Json embeddings = Json::parse(fetch(post("/v1/embeddings", body)).body);
  EXPECT_EQ(embeddings["data"].size(), 2u);
  EXPECT_EQ(embeddings["data"][0]["embedding"].size(), 3u);
  EXPECT_NE(embeddings["data"][0]["embedding"], embeddings["data"][1]["embedding"]);
  EXPECT_EQ(embeddings["usage"]["prompt_tokens"], 2);
  body["encoding_format"] = "base64";
  embeddings = Json::parse(fetch(post("/v1/embeddings", body)).body);
  EXPECT_EQ(embeddings["data"][0]["embedding"].get<std::string>().size(), 16u);
  for (const char* path : {"/rerank", "/v1/rerank"}) {
    const Json ranked = Json::parse(
        fetch(post(path, {{"query", "q"}, {"documents", {"a", "b", "c"}}, {"top_n", 2}})).body);
    ASSERT_EQ(ranked["results"].size(), 2u);
    EXPECT_GE(ranked["results"][0]["relevance_score"], ranked["results"][1]["relevance_score"]);
  }
  for (const char* path : {"/score", "/v1/score"}) {
    const Json scores =
        Json::parse(fetch(post(path, {{"text_1", "q"}, {"text_2", {"a", "b"}}})).body);
    EXPECT_EQ(scores["data"].size(), 2u);
  }
  EXPECT_EQ(fetch(post("/score", {{"text_1", {"a", "b"}}, {"text_2", {"a", "b", "c"}}})).status,
            400);
  EXPECT_EQ(fetch(post("/v1/embeddings", {{"model", "test/model"}})).status, 400);
  EXPECT_EQ(fetch(post("/rerank", {{"query", "q"}})).status, 400);
  const Json many = {{"input", std::vector<std::string>(2'049, "a")}};
  EXPECT_THAT(fetch(post("/v1/embeddings", many)).body, HasSubstr("At most 2048 inputs"));
}

TEST_F(EngineServerTest, SaysWhatItIs) {
  start();
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(get("/health").body, "");
  EXPECT_EQ(get("/ping").status, 200);
  EXPECT_EQ(get("/load").body, R"({"server_load":0})");
  EXPECT_TRUE(Json::parse(get("/version").body).contains("version"));
}

TEST_F(EngineServerTest, MetricsCountWhatWasServed) {
  options_.spec.ranks = 2;
  start();
  auto request = post("/v1/chat/completions", chat_body(long_text()));
  request.headers.emplace_back("X-data-parallel-rank", "1");
  fetch(request);
  fetch(request);
  const auto response = get("/metrics");
  EXPECT_THAT(std::string(response.header("content-type")),
              StartsWith("text/plain; version=0.0.4"));
  EXPECT_THAT(response.body,
              HasSubstr("vllm:prompt_tokens_total{engine=\"1\",model_name=\"test/model\"} 2006\n"));
  EXPECT_THAT(response.body, HasSubstr("vllm:prompt_tokens_cached_total{engine=\"1\",model_name="
                                       "\"test/model\"} 992\n"));
  EXPECT_THAT(response.body, HasSubstr("vllm:time_to_first_token_seconds_count{engine=\"1\","
                                       "model_name=\"test/model\"} 2\n"));
  const std::uint64_t generated = server_->stats()[1].generation_tokens;
  EXPECT_THAT(response.body, HasSubstr("vllm:iteration_tokens_total_sum{engine=\"1\",model_name="
                                       "\"test/model\"} " +
                                       std::to_string(2006 + generated) + "\n"));
}

TEST_F(EngineServerTest, PrefixCountersCanCountEveryAttempt) {
  options_.prefix_counters = PrefixCounters::kAttempt;
  options_.spec.kv_tokens = 16'000;
  options_.time_scale = 50;
  start();
  // The first runs for seconds and leaves no room for the second, which tries in every step.
  Json body = chat_body(long_text());
  body["stream"] = true;
  body["ignore_eos"] = true;
  body["max_tokens"] = 14'900;
  const auto first = begin(post("/v1/chat/completions", body));
  body["messages"][0]["content"] = std::string(63'000, 'b');
  body["max_tokens"] = 1;
  const auto second = begin(post("/v1/chat/completions", body));
  run_until([this] {
    const engine::RankStats stats = server_->stats()[0];
    return stats.prefix_attempt_queries > 3 * stats.prefix_queries;
  });
  const std::string text = get("/metrics").body;
  const std::string name =
      "vllm:prefix_cache_queries_total{engine=\"0\",model_name=\"test/model\"} ";
  const std::size_t at = text.find("\n" + name);
  ASSERT_NE(at, std::string::npos);
  EXPECT_GT(std::stoull(text.substr(at + 1 + name.size())), 3 * server_->stats()[0].prefix_queries);
}

TEST_F(EngineServerTest, AScriptMakesAnAgentTakeTurns) {
  start();
  Json body = messages_body(R"(Go.
berth-script: [{"tool":"Bash","args":{"command":"ls"}},{"text":"All done."}])");
  body["tools"] = {{{"name", "Bash"}, {"input_schema", {{"type", "object"}}}}};
  const Json first = Json::parse(fetch(post("/v1/messages", body)).body);
  EXPECT_EQ(first["stop_reason"], "tool_use");
  const Json call = first["content"][0];
  body["messages"].push_back({{"role", "assistant"}, {"content", first["content"]}});
  const Json result = {{"type", "tool_result"}, {"tool_use_id", call["id"]}, {"content", "file"}};
  body["messages"].push_back({{"role", "user"}, {"content", {result}}});
  const Json second = Json::parse(fetch(post("/v1/messages", body)).body);
  EXPECT_EQ(second["stop_reason"], "end_turn");
  EXPECT_EQ(second["content"][0]["text"], "All done.");
  EXPECT_GT(second["usage"]["cache_read_input_tokens"].get<int>(), 0);
}

TEST_F(EngineServerTest, StartRefusesBadOptions) {
  options_.time_scale = 0;
  const auto server = EngineServer::start(io_, "127.0.0.1", 0, options_);
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message, HasSubstr("time-scale"));
  options_.max_model_len = 36'000;
  EXPECT_THAT(EngineServer::start(io_, "127.0.0.1", 0, options_).error().message,
              HasSubstr("max-model-len 36000 does not fit"));
  options_.max_model_len = 35'984;
  options_.time_scale = 1;
  options_.record_file = "/nonexistent/file";
  const auto unwritable = EngineServer::start(io_, "127.0.0.1", 0, options_);
  ASSERT_FALSE(unwritable);
  EXPECT_THAT(unwritable.error().message, HasSubstr("/nonexistent/file"));
}

}  // namespace
}  // namespace berth::engine_http
