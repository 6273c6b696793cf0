// Does one rank of a server still work? /health speaks for the API server alone: it answers 200
// while a data-parallel engine behind it hangs (vllm-project/vllm#11996) and the others go on. A
// pure state machine, told every metrics page; up, suspect or down out, with the reason.
//
// Movement is any change of what the page shows of the rank, counter or gauge: an engine writes all
// of it when it ends a step, and nothing when it does not. The counters of tokens and of steps
// alone stand still through a long prefill of a single prompt, whose steps end without an output;
// its KV usage grows then with every chunk, and a queue moves the gauge of waiting requests.
//
// The times: a step takes well under a minute, even one that compiles a kernel for a new shape.
// Quiet for twice that and more is no step, and is still soon enough for a client: Claude Code
// gives up a stream that was silent for 300 s, and its second attempt must find another rank. Only
// time with requests of Berth in flight counts; an idle engine writes nothing.
//
// An engine that says it runs and holds nothing, and has moved since the requests went in flight,
// has done its work: it is a client that reads slowly that keeps a request open then. One that
// hangs before it takes up the first request has not moved since.
//
// What stood still is up again when anything of it moves. A rank that never gets a request again
// could not show that, so when nothing is in flight there it gets another chance after a while.
//
// A rank that is missing from pages that show others of its server is suspect after a few pages,
// and down when that goes on: one page can be caught while the processes behind it come and go.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "fleet/health.h"

namespace berth::fleet {

struct ProgressPolicy {
  Duration down_after{std::chrono::seconds(120)};  // suspect after half of it
  Duration retry_after{std::chrono::minutes(10)};  // without a request there
  std::uint32_t pages_missing = 3;                 // in a row, until suspect
};

class RankProgress {
 public:
  explicit RankProgress(ProgressPolicy policy) : policy_(policy) { state_.health = Health::kUp; }

  // A page that shows the rank.
  struct Page {
    bool moved = false;
    bool idle = false;            // nothing running, nothing waiting
    std::uint32_t in_flight = 0;  // requests Berth has sent to this rank
  };
  void on_page(const Page& page, Instant now);
  // A page that shows its server's engines, but not this one.
  void on_page_without(Instant now);

  const HealthState& state() const { return state_; }

 private:
  void enter(Health health, const std::string& why, Instant now);

  ProgressPolicy policy_;
  HealthState state_;
  Instant since_{};          // of state_
  Instant moved_at_{};       // the newest movement
  Instant waiting_since_{};  // requests in flight without a break since; epoch: none
  Instant missing_since_{};
  std::uint32_t missing_ = 0;  // pages in a row
};

}  // namespace berth::fleet
