#include "engine_http/exposition.h"

#include <utility>

#include "engine_http/exposition_writer.h"

namespace berth::engine_http {
namespace {

using prometheus::MetricType;
using Writer = ExpositionWriter;
using Labels = Writer::Labels;
using Value = Writer::Value;

Value zero() {
  return [](const engine::RankStats&) { return 0.0; };
}
template <typename Member>
Value of(Member engine::RankStats::* field) {
  return [field](const engine::RankStats& stats) { return static_cast<double>(stats.*field); };
}

void add_gauges(Writer& out) {
  using engine::RankStats;
  out.add(MetricType::Gauge, "vllm:num_requests_running",
          "Number of requests in model execution batches.", of(&RankStats::running));
  out.add(MetricType::Gauge, "vllm:num_requests_waiting",
          "Number of requests waiting to be processed.", of(&RankStats::waiting));
  out.begin(MetricType::Gauge, "vllm:num_requests_waiting_by_reason",
            "Number of waiting requests broken down by reason.");
  out.add_samples(of(&RankStats::waiting), {{"reason", "capacity"}});
  out.add_samples(zero(), {{"reason", "deferred"}});
  out.add(MetricType::Gauge, "vllm:kv_cache_usage_perc",
          "KV-cache usage. 1 means 100 percent usage.", of(&RankStats::kv_usage));
  out.begin(MetricType::Gauge, "vllm:engine_sleep_state", "Engine sleep state.");
  out.add_samples([](const RankStats&) { return 1.0; }, {{"sleep_state", "awake"}});
  out.add_samples(zero(), {{"sleep_state", "weights_offloaded"}});
  out.add_samples(zero(), {{"sleep_state", "discard_all"}});
}

void add_cache_counters(Writer& out, PrefixCounters counters) {
  using engine::RankStats;
  const bool by_attempt = counters == PrefixCounters::kAttempt;
  out.add(MetricType::Counter, "vllm:prefix_cache_queries_total",
          "Prefix cache queries, in terms of number of queried tokens.",
          of(by_attempt ? &RankStats::prefix_attempt_queries : &RankStats::prefix_queries));
  out.add(MetricType::Counter, "vllm:prefix_cache_hits_total",
          "Prefix cache hits, in terms of number of cached tokens.",
          of(by_attempt ? &RankStats::prefix_attempt_hits : &RankStats::prefix_hits));
  out.add(MetricType::Counter, "vllm:external_prefix_cache_queries_total",
          "External prefix cache queries from KV connector cross-instance cache sharing.", zero());
  out.add(MetricType::Counter, "vllm:external_prefix_cache_hits_total",
          "External prefix cache hits from KV connector cross-instance cache sharing.", zero());
  out.add(MetricType::Counter, "vllm:mm_cache_queries_total",
          "Multi-modal cache queries, in terms of number of queried items.", zero());
  out.add(MetricType::Counter, "vllm:mm_cache_hits_total",
          "Multi-modal cache hits, in terms of number of cached items.", zero());
}

void add_token_counters(Writer& out) {
  using engine::RankStats;
  out.add(MetricType::Counter, "vllm:prompt_tokens_total", "Number of prefill tokens processed.",
          of(&RankStats::prompt_tokens));
  out.begin(MetricType::Counter, "vllm:prompt_tokens_by_source_total",
            "Number of prompt tokens by source.");
  out.add_samples(
      [](const RankStats& s) { return static_cast<double>(s.prompt_tokens - s.prompt_cached); },
      {{"source", "local_compute"}});
  out.add_samples(of(&RankStats::prompt_cached), {{"source", "local_cache_hit"}});
  out.add_samples(zero(), {{"source", "external_kv_transfer"}});
  out.add(MetricType::Counter, "vllm:prompt_tokens_cached_total",
          "Number of cached prompt tokens (local + external).", of(&RankStats::prompt_cached));
  out.add(MetricType::Counter, "vllm:generation_tokens_total",
          "Number of generation tokens processed.", of(&RankStats::generation_tokens));
  out.add(MetricType::Counter, "vllm:num_preemptions_total",
          "Cumulative number of preemption from the engine.", of(&RankStats::preemptions));
}

void add_ends(Writer& out, const std::vector<engine::RankStats>& stats,
              const RequestMetrics& requests) {
  out.begin(MetricType::Counter, "vllm:request_success_total",
            "Count of successfully processed requests.");
  for (std::uint32_t rank = 0; rank < stats.size(); ++rank) {
    const std::uint64_t stopped =
        requests.ended(rank, Finish::kStop) + requests.ended(rank, Finish::kToolCalls);
    const std::vector<std::pair<std::string, std::uint64_t>> reasons = {
        {"stop", stopped},
        {"length", requests.ended(rank, Finish::kLength)},
        {"abort", stats[rank].aborted},
        {"error", 0}};
    for (const auto& [reason, count] : reasons) {
      out.add_sample(rank, {{"finished_reason", reason}}).counter.value =
          static_cast<double>(count);
    }
  }
}

void add_histograms(Writer& out, std::size_t ranks, const RequestMetrics& requests) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(RequestHistogram::kCount); ++i) {
    const auto which = static_cast<RequestHistogram>(i);
    const HistogramName name = histogram_name(which);
    out.begin(MetricType::Histogram, std::string(name.name), std::string(name.help));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      out.add_histogram_sample(rank, requests.histogram(rank, which));
    }
  }
}

void add_config(Writer& out, const engine::ServerSpec& spec,
                const std::vector<engine::RankStats>& stats) {
  std::uint64_t blocks = 0;
  for (const engine::RankStats& rank : stats) blocks += rank.num_gpu_blocks;
  out.begin(MetricType::Gauge, "vllm:cache_config_info",
            "Information of the LLMEngine CacheConfig");
  for (std::size_t rank = 0; rank < stats.size(); ++rank) {
    const Labels labels = {{"block_size", std::to_string(spec.block_size)},
                           {"cache_dtype", "auto"},
                           {"enable_prefix_caching", "True"},
                           {"gpu_memory_utilization", "0.92"},
                           {"num_gpu_blocks", std::to_string(blocks)},
                           {"num_cpu_blocks", "None"},
                           {"prefix_caching_hash_algo", "sha256"},
                           {"sliding_window", "None"}};
    out.add_sample(rank, labels, /*with_model=*/false).gauge.value = 1;
  }
}

// vLLM shows it where adapters are enabled. Its value is the time of the last change, and it has no
// `engine`.
void add_lora(Writer& out, double unix_seconds) {
  out.begin(MetricType::Gauge, "vllm:lora_requests_info", "Running stats on lora requests.");
  const Labels labels = {
      {"max_lora", "0"}, {"running_lora_adapters", ""}, {"waiting_lora_adapters", ""}};
  out.add_bare_sample(labels).gauge.value = unix_seconds;
}

}  // namespace

std::string exposition(const MetricsShown& shown) {
  Writer out(shown.model_name, shown.stats);
  add_gauges(out);
  add_cache_counters(out, shown.prefix_counters);
  add_token_counters(out);
  add_ends(out, shown.stats, shown.requests);
  add_histograms(out, shown.stats.size(), shown.requests);
  add_config(out, shown.spec, shown.stats);
  add_lora(out, shown.unix_seconds);
  return out.text();
}

}  // namespace berth::engine_http
