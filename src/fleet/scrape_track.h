// Turns the metrics pages of one server, one after another, into what the listener hears: monotonic
// counters, clean gauges, and whether the engines work. Pure.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "fleet/counter_track.h"
#include "fleet/fleet.h"
#include "fleet/vllm_metrics.h"

namespace berth::fleet {

class ScrapeTrack {
 public:
  struct Outcome {
    std::vector<RankScrape> ranks;
    bool worked = false;     // a counter moved since the page before, or this is the first
    bool restarted = false;  // a counter began anew
  };

  // Reads the rows of `models`; others are left out. A row without a model_name belongs to the only
  // model.
  Outcome update(const VllmPage& page, const std::vector<ServedModel>& models,
                 std::optional<std::uint32_t> configured_ranks, Instant now);

 private:
  struct Rank {
    CounterTrack prefix_queries, prefix_hits, prompt_tokens, generation_tokens, preemptions;
    CounterTrack cached_prompt_tokens;
    bool tells_cached = false;
    double work = -1;  // none seen yet
    Instant moved_at{};
  };
  using Key = std::pair<std::string, std::uint32_t>;

  static bool update_counters(Rank& rank, const EngineReading& reading);
  static RankScrape follow(Rank& rank, const EngineReading& reading, Instant now, Outcome& outcome);

  std::map<Key, Rank> ranks_;
};

}  // namespace berth::fleet
