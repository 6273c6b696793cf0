// What vLLM's frontend measures of each request, a rank: latencies and sizes as histograms, and how
// it ended.
//
// Source: vllm/v1/metrics/loggers.py (names, buckets) and stats.py (what is measured). Seconds are
// the model's. Thread: the io_context's.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/server_model.h"
#include "engine_http/histogram.h"
#include "engine_http/reply.h"

namespace berth::engine_http {

// The histograms of one rank, in the order they are shown.
enum class RequestHistogram : std::uint8_t {
  kTimeToFirstToken,
  kInterTokenLatency,
  kTimePerOutputToken,
  kEndToEnd,
  kQueueTime,
  kInferenceTime,
  kPrefillTime,
  kDecodeTime,
  kPromptTokens,
  kGenerationTokens,
  kPrefillComputedTokens,
  kMaxGenerationTokens,
  kMaxTokens,
  kParamsN,
  kIterationTokens,  // of a step: prompts completed and tokens generated
  kCount,
};

struct HistogramName {
  std::string_view name;
  std::string_view help;
};
HistogramName histogram_name(RequestHistogram which);

// One request on its way, as its events come.
class RequestClock {
 public:
  explicit RequestClock(Instant submitted_at) : submitted_at_(submitted_at) {}
  Instant submitted_at() const { return submitted_at_; }
  Instant first_token_at() const { return first_token_at_; }
  Instant last_token_at() const { return last_token_at_; }

 private:
  friend class RequestMetrics;
  Instant submitted_at_;
  Instant first_token_at_{};
  Instant last_token_at_{};
};

class RequestMetrics {
 public:
  explicit RequestMetrics(std::uint32_t ranks);

  void on_event(std::uint32_t rank, RequestClock& clock, const engine::Event& event,
                std::uint64_t prompt_tokens);
  // After kFinished.
  void on_end(std::uint32_t rank, Finish finish, std::uint64_t max_tokens);
  // Before the histograms are shown: the last step of every rank is over.
  void settle();

  const Histogram& histogram(std::uint32_t rank, RequestHistogram which) const;
  // Requests that ended by themselves with that reason.
  std::uint64_t ended(std::uint32_t rank, Finish finish) const;

 private:
  using Histograms = std::vector<Histogram>;
  Histogram& at(std::uint32_t rank, RequestHistogram which);
  void count_tokens(std::uint32_t rank, Instant step_end, std::uint64_t tokens);

  // The step of a rank whose events are coming in. All of them bear the instant of its end.
  struct Step {
    Instant end{};
    std::uint64_t tokens = 0;  // 0: none
  };
  std::vector<Step> steps_;                          // by rank
  std::vector<Histograms> histograms_;               // by rank
  std::vector<std::array<std::uint64_t, 3>> ended_;  // by rank, then Finish
};

}  // namespace berth::engine_http
