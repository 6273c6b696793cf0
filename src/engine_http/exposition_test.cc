#include "engine_http/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace berth::engine_http {
namespace {

using ::testing::HasSubstr;

struct Sample {
  Sample() : requests(2) {
    spec.ranks = 2;
    stats.resize(2);
    stats[1].running = 3;
    stats[1].waiting = 4;
    stats[1].kv_usage = 0.5;
    stats[1].prompt_tokens = 1'000;
    stats[1].prompt_cached = 600;
    stats[1].prefix_queries = 1'000;
    stats[1].prefix_hits = 600;
    stats[1].aborted = 2;
    for (engine::RankStats& rank : stats) rank.num_gpu_blocks = 2'250;
    const Instant start{std::chrono::seconds(10)};
    RequestClock clock(start);
    engine::Event event{.kind = engine::EventKind::kToken,
                        .id = 1,
                        .at = start + std::chrono::milliseconds(300),
                        .index = 0,
                        .cached_tokens = 600,
                        .scheduled_at = start + std::chrono::milliseconds(50)};
    requests.on_event(1, clock, event, 1'000);
    event.index = 1;
    event.at += std::chrono::milliseconds(30);
    requests.on_event(1, clock, event, 1'000);
    event.kind = engine::EventKind::kFinished;
    event.index = 2;
    requests.on_event(1, clock, event, 1'000);
    requests.on_end(1, Finish::kToolCalls, 512);
  }
  std::string text() const { return exposition("m", spec, stats, requests); }

  engine::ServerSpec spec;
  std::vector<engine::RankStats> stats;
  RequestMetrics requests;
};

TEST(Exposition, HasVllmsNamesWithTheEngineLabel) {
  const std::string text = Sample().text();
  for (
      const char* line : {
          R"(vllm:num_requests_running{engine="1",model_name="m"} 3)",
          R"(vllm:num_requests_running{engine="0",model_name="m"} 0)",
          R"(vllm:num_requests_waiting{engine="1",model_name="m"} 4)",
          R"(vllm:num_requests_waiting_by_reason{engine="1",model_name="m",reason="capacity"} 4)",
          R"(vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.5)",
          R"(vllm:prefix_cache_queries_total{engine="1",model_name="m"} 1000)",
          R"(vllm:prefix_cache_hits_total{engine="1",model_name="m"} 600)",
          R"(vllm:prompt_tokens_total{engine="1",model_name="m"} 1000)",
          R"(vllm:prompt_tokens_by_source_total{engine="1",model_name="m",source="local_compute"} 400)",
          R"(vllm:prompt_tokens_by_source_total{engine="1",model_name="m",source="local_cache_hit"} 600)",
          R"(vllm:prompt_tokens_cached_total{engine="1",model_name="m"} 600)",
          R"(vllm:request_success_total{engine="1",model_name="m",finished_reason="stop"} 1)",
          R"(vllm:request_success_total{engine="1",model_name="m",finished_reason="abort"} 2)",
          R"(vllm:time_to_first_token_seconds_bucket{engine="1",model_name="m",le="0.25"} 0)",
          R"(vllm:time_to_first_token_seconds_bucket{engine="1",model_name="m",le="0.5"} 1)",
          R"(vllm:time_to_first_token_seconds_bucket{engine="1",model_name="m",le="+Inf"} 1)",
          R"(vllm:inter_token_latency_seconds_count{engine="1",model_name="m"} 1)",
          R"(vllm:e2e_request_latency_seconds_count{engine="1",model_name="m"} 1)",
          R"(vllm:request_queue_time_seconds_sum{engine="1",model_name="m"} 0.05)",
          R"(vllm:request_prefill_kv_computed_tokens_sum{engine="1",model_name="m"} 400)",
      }) {
    EXPECT_THAT(text, HasSubstr(std::string(line) + "\n"));
  }
}

TEST(Exposition, CacheConfigHasTheSumOfTheBlocksInEveryRow) {
  const std::string text = Sample().text();
  std::size_t rows = 0;
  for (std::size_t at = text.find("vllm:cache_config_info{"); at != std::string::npos;
       at = text.find("vllm:cache_config_info{", at + 1)) {
    ++rows;
    EXPECT_THAT(text.substr(at, text.find('\n', at) - at), HasSubstr(R"(num_gpu_blocks="4500")"));
  }
  EXPECT_EQ(rows, 2u);
}

// promtool's only complaint is the colon, which vLLM's own names have.
TEST(Exposition, PromtoolAcceptsIt) {
  if (std::system("command -v promtool > /dev/null") != 0)
    GTEST_SKIP() << "promtool is not installed";
  const std::string path = ::testing::TempDir() + "berth_engine_metrics.txt";
  std::ofstream(path) << Sample().text();
  const std::string command =
      "promtool check metrics < " + path + " 2>&1 | grep -v \"should not contain ':'\"";
  std::FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string complaints;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    complaints.push_back(static_cast<char>(c));
  }
  pclose(pipe);
  EXPECT_EQ(complaints, "");
}

TEST(Histogram, BoundsAreInclusiveAndCountsAddUp) {
  Histogram histogram({1, 2, 5});
  for (const double value : {0.5, 1.0, 1.5, 5.0, 9.0}) histogram.observe(value);
  EXPECT_EQ(histogram.cumulative(), (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(histogram.count(), 5u);
  EXPECT_DOUBLE_EQ(histogram.sum(), 17.0);
}

}  // namespace
}  // namespace berth::engine_http
