#include "engine_http/request_metrics.h"

namespace berth::engine_http {
namespace {

std::vector<double> first_token_bounds() {
  return {.001, .005, .01, .02, .04, .06, .08, .1, .25, .5,  .75,
          1,    2.5,  5,   7.5, 10,  20,  40,  80, 160, 640, 2560};
}
std::vector<double> token_latency_bounds() {
  return {.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80};
}
std::vector<double> request_latency_bounds() {
  return {.3, .5, .8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
          30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680};
}
std::vector<double> token_count_bounds() {
  return {1,    2,    5,    10,    20,    50,    100,    200,    500,
          1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000};
}

std::vector<double> params_n_bounds() { return {1, 2, 5, 10, 20}; }
std::vector<double> iteration_bounds() {
  return {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
}

struct Definition {
  HistogramName name;
  std::vector<double> (*bounds)();
};

const Definition& definition(RequestHistogram which) {
  static const std::array<Definition, static_cast<std::size_t>(RequestHistogram::kCount)> all = {{
      {{"vllm:time_to_first_token_seconds", "Histogram of time to first token in seconds."},
       first_token_bounds},
      {{"vllm:inter_token_latency_seconds", "Histogram of inter-token latency in seconds."},
       token_latency_bounds},
      {{"vllm:request_time_per_output_token_seconds",
        "Histogram of time_per_output_token_seconds per request."},
       token_latency_bounds},
      {{"vllm:e2e_request_latency_seconds", "Histogram of e2e request latency in seconds."},
       request_latency_bounds},
      {{"vllm:request_queue_time_seconds", "Histogram of time spent in WAITING phase for request."},
       request_latency_bounds},
      {{"vllm:request_inference_time_seconds",
        "Histogram of time spent in RUNNING phase for request."},
       request_latency_bounds},
      {{"vllm:request_prefill_time_seconds",
        "Histogram of time spent in PREFILL phase for request."},
       request_latency_bounds},
      {{"vllm:request_decode_time_seconds", "Histogram of time spent in DECODE phase for request."},
       request_latency_bounds},
      {{"vllm:request_prompt_tokens", "Number of prefill tokens processed."}, token_count_bounds},
      {{"vllm:request_generation_tokens", "Number of generation tokens processed."},
       token_count_bounds},
      {{"vllm:request_prefill_kv_computed_tokens",
        "Histogram of new KV tokens computed during prefill (excluding cached tokens)."},
       token_count_bounds},
      {{"vllm:request_max_num_generation_tokens",
        "Histogram of maximum number of requested generation tokens."},
       token_count_bounds},
      {{"vllm:request_params_max_tokens", "Histogram of the max_tokens request parameter."},
       token_count_bounds},
      {{"vllm:request_params_n", "Histogram of the n request parameter."}, params_n_bounds},
      {{"vllm:iteration_tokens_total", "Histogram of number of tokens per engine_step."},
       iteration_bounds},
  }};
  return all[static_cast<std::size_t>(which)];
}

}  // namespace

HistogramName histogram_name(RequestHistogram which) { return definition(which).name; }

RequestMetrics::RequestMetrics(std::uint32_t ranks) : steps_(ranks), ended_(ranks) {
  Histograms empty;
  for (std::size_t i = 0; i < static_cast<std::size_t>(RequestHistogram::kCount); ++i) {
    empty.emplace_back(definition(static_cast<RequestHistogram>(i)).bounds());
  }
  histograms_.assign(ranks, empty);
}

Histogram& RequestMetrics::at(std::uint32_t rank, RequestHistogram which) {
  return histograms_[rank][static_cast<std::size_t>(which)];
}

const Histogram& RequestMetrics::histogram(std::uint32_t rank, RequestHistogram which) const {
  return histograms_[rank][static_cast<std::size_t>(which)];
}

void RequestMetrics::on_event(std::uint32_t rank, RequestClock& clock, const engine::Event& event,
                              std::uint64_t prompt_tokens) {
  using enum RequestHistogram;
  if (event.kind == engine::EventKind::kToken) {
    count_tokens(rank, event.at, event.index == 0 ? prompt_tokens + 1 : 1);
    if (event.index == 0) {
      clock.first_token_at_ = event.at;
      at(rank, kTimeToFirstToken).observe(to_seconds(event.at - clock.submitted_at_));
    } else {
      at(rank, kInterTokenLatency).observe(to_seconds(event.at - clock.last_token_at_));
    }
    clock.last_token_at_ = event.at;
    return;
  }
  if (event.index == 0) count_tokens(rank, event.at, prompt_tokens);
  const Instant first = event.index > 0 ? clock.first_token_at_ : event.at;
  at(rank, kEndToEnd).observe(to_seconds(event.at - clock.submitted_at_));
  at(rank, kQueueTime).observe(to_seconds(event.scheduled_at - clock.submitted_at_));
  at(rank, kInferenceTime).observe(to_seconds(event.at - event.scheduled_at));
  at(rank, kPrefillTime).observe(to_seconds(first - event.scheduled_at));
  at(rank, kDecodeTime).observe(to_seconds(event.at - first));
  at(rank, kPromptTokens).observe(static_cast<double>(prompt_tokens));
  at(rank, kGenerationTokens).observe(event.index);
  at(rank, kMaxGenerationTokens).observe(event.index);
  at(rank, kParamsN).observe(1);
  at(rank, kPrefillComputedTokens)
      .observe(static_cast<double>(prompt_tokens - event.cached_tokens));
  if (event.index > 1) {
    at(rank, kTimePerOutputToken).observe(to_seconds(event.at - first) / (event.index - 1));
  }
}

void RequestMetrics::count_tokens(std::uint32_t rank, Instant step_end, std::uint64_t tokens) {
  Step& step = steps_[rank];
  if (step.end != step_end && step.tokens > 0) {
    at(rank, RequestHistogram::kIterationTokens).observe(static_cast<double>(step.tokens));
    step.tokens = 0;
  }
  step.end = step_end;
  step.tokens += tokens;
}

void RequestMetrics::settle() {
  for (std::uint32_t rank = 0; rank < steps_.size(); ++rank) {
    count_tokens(rank, Instant::max(), 0);
  }
}

void RequestMetrics::on_end(std::uint32_t rank, Finish finish, std::uint64_t max_tokens) {
  ++ended_[rank][static_cast<std::size_t>(finish)];
  if (max_tokens > 0) {
    at(rank, RequestHistogram::kMaxTokens).observe(static_cast<double>(max_tokens));
  }
}

std::uint64_t RequestMetrics::ended(std::uint32_t rank, Finish finish) const {
  return ended_[rank][static_cast<std::size_t>(finish)];
}

}  // namespace berth::engine_http
