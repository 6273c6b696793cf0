// Turns the metrics pages of one server, one after another, into what the listener hears: monotonic
// counters, clean gauges, and whether each engine works. Pure.
#pragma once

#include <map>
#include <optional>
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
    bool worked = false;     // one of them moved since the page before, or this is the first
    bool restarted = false;  // a counter began anew
    bool erratic = false;    // they did again and again, sooner than any engine can start
  };

  // Reads the rows of `models`; others are left out. A row without a model_name belongs to the only
  // model.
  //
  // Counters that fall are one restart, and none for half a minute after it: an engine takes longer
  // than that to load its model. Where they fall at more pages than a restart rank by rank
  // explains, several engines stand behind one address and answer in turn.
  Outcome update(const VllmPage& page, const std::vector<ServedModel>& models, Instant now);

 private:
  struct Rank {
    CounterTrack prefix_queries, prefix_hits, prompt_tokens, generation_tokens, preemptions;
    CounterTrack cached_prompt_tokens;
    bool tells_cached = false;
    std::optional<EngineReading> last;
  };
  using Key = std::pair<std::string, std::uint32_t>;

  static bool update_counters(Rank& rank, const EngineReading& reading);
  static RankScrape follow(Rank& rank, const EngineReading& reading, Outcome& outcome);

  std::map<Key, Rank> ranks_;
  std::optional<Instant> fell_at_;
  std::uint32_t falls_ = 0;  // pages with falls, none of them half a minute after the one before
};

}  // namespace berth::fleet
