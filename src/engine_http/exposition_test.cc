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
    stats[1].prefix_attempt_queries = 5'000;
    stats[1].prefix_attempt_hits = 2'600;
    stats[1].aborted = 2;
    stats[1].preemptions = 7;
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
    requests.settle();
  }
  std::string text(PrefixCounters counters = PrefixCounters::kAdmission) const {
    return exposition({.model_name = name,
                       .spec = spec,
                       .stats = stats,
                       .requests = requests,
                       .prefix_counters = counters,
                       .unix_seconds = 1'700'000'000});
  }

  std::string name = "m";
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
          R"(vllm:num_preemptions_total{engine="1",model_name="m"} 7)",
          R"(vllm:request_max_num_generation_tokens_sum{engine="1",model_name="m"} 2)",
          R"(vllm:request_params_max_tokens_sum{engine="1",model_name="m"} 512)",
          R"(vllm:request_params_n_bucket{engine="1",model_name="m",le="1"} 1)",
          R"(vllm:iteration_tokens_total_count{engine="1",model_name="m"} 2)",
          R"(vllm:iteration_tokens_total_sum{engine="1",model_name="m"} 1002)",
          R"(vllm:iteration_tokens_total_bucket{engine="1",model_name="m",le="1"} 1)",
          R"(vllm:mm_cache_queries_total{engine="1",model_name="m"} 0)",
          R"(vllm:mm_cache_hits_total{engine="0",model_name="m"} 0)",
          R"(vllm:external_prefix_cache_hits_total{engine="1",model_name="m"} 0)",
          R"(vllm:lora_requests_info{max_lora="0",running_lora_adapters="",waiting_lora_adapters=""} 1700000000)",
      }) {
    EXPECT_THAT(text, HasSubstr(std::string(line) + "\n"));
  }
}

TEST(Exposition, PrefixCountersCanBeThoseOfOlderVersions) {
  const std::string text = Sample().text(PrefixCounters::kAttempt);
  EXPECT_THAT(text,
              HasSubstr("vllm:prefix_cache_queries_total{engine=\"1\",model_name=\"m\"} 5000"));
  EXPECT_THAT(text, HasSubstr("vllm:prefix_cache_hits_total{engine=\"1\",model_name=\"m\"} 2600"));
}

// All events of a step bear one instant, whichever requests they are of.
TEST(RequestMetrics, AStepsTokensAreOneObservation) {
  RequestMetrics metrics(2);
  RequestClock one(Instant{}), two(Instant{});
  engine::Event event{.kind = engine::EventKind::kToken, .id = 1, .at = Instant(Duration(1'000))};
  metrics.on_event(0, one, event, 100);
  metrics.on_event(0, two, event, 50);
  metrics.on_event(1, two, event, 7);  // another rank's step that ends at the same time
  event.index = 1;
  event.at += Duration(1'000);
  metrics.on_event(0, one, event, 100);
  metrics.settle();
  metrics.settle();
  const Histogram& tokens = metrics.histogram(0, RequestHistogram::kIterationTokens);
  EXPECT_EQ(tokens.count(), 2u);
  EXPECT_DOUBLE_EQ(tokens.sum(), 100 + 1 + 50 + 1 + 1);
  EXPECT_EQ(metrics.histogram(1, RequestHistogram::kIterationTokens).count(), 1u);
}

TEST(RequestMetrics, APoolingRequestCountsItsPromptAndHasNoLimit) {
  RequestMetrics metrics(1);
  RequestClock clock(Instant{});
  metrics.on_event(0, clock,
                   {.kind = engine::EventKind::kFinished, .id = 1, .at = Instant(Duration(5))}, 40);
  metrics.on_end(0, Finish::kStop, 0);
  metrics.settle();
  EXPECT_DOUBLE_EQ(metrics.histogram(0, RequestHistogram::kIterationTokens).sum(), 40);
  EXPECT_EQ(metrics.histogram(0, RequestHistogram::kMaxTokens).count(), 0u);
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

// promtool complains of two things that vLLM's own names have: the colon, and a histogram that ends
// as counters do.
TEST(Exposition, PromtoolAcceptsIt) {
  if (std::system("command -v promtool > /dev/null") != 0)
    GTEST_SKIP() << "promtool is not installed";
  const std::string path = ::testing::TempDir() + "berth_engine_metrics.txt";
  std::ofstream(path) << Sample().text();
  const std::string command = "promtool check metrics < " + path +
                              " 2>&1 | grep -v \"should not contain ':'\" | grep -v "
                              "'^vllm:iteration_tokens_total non-counter'";
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
