#include "fleet/scrape_track.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace berth::fleet {
namespace {

std::uint32_t count_of(std::optional<double> gauge) {
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  if (!gauge || !(*gauge > 0)) return 0;
  return static_cast<std::uint32_t>(std::min(*gauge, kMost));
}

double ratio_of(std::optional<double> gauge) {
  return gauge && !std::isnan(*gauge) ? std::clamp(*gauge, 0.0, 1.0) : 0.0;
}

}  // namespace

bool ScrapeTrack::update_counters(Rank& rank, const EngineReading& reading) {
  bool restarted = rank.prefix_queries.update(reading.prefix_queries);
  restarted |= rank.prefix_hits.update(reading.prefix_hits);
  restarted |= rank.prompt_tokens.update(reading.prompt_tokens);
  restarted |= rank.generation_tokens.update(reading.generation_tokens);
  restarted |= rank.preemptions.update(reading.preemptions);
  restarted |= rank.cached_prompt_tokens.update(reading.cached_prompt_tokens);
  rank.tells_cached |= reading.cached_prompt_tokens.has_value();
  return restarted;
}

RankScrape ScrapeTrack::follow(Rank& rank, const EngineReading& reading, Outcome& outcome) {
  outcome.restarted |= update_counters(rank, reading);
  RankScrape scrape;
  scrape.moved = rank.last != reading;
  outcome.worked |= scrape.moved;
  rank.last = reading;
  scrape.running = count_of(reading.running);
  scrape.waiting = count_of(reading.waiting);
  scrape.kv_usage = ratio_of(reading.kv_usage);
  scrape.prefix_queries = rank.prefix_queries.value();
  scrape.prefix_hits = rank.prefix_hits.value();
  scrape.prompt_tokens = rank.prompt_tokens.value();
  scrape.generation_tokens = rank.generation_tokens.value();
  scrape.preemptions = rank.preemptions.value();
  if (rank.tells_cached) scrape.cached_prompt_tokens = rank.cached_prompt_tokens.value();
  return scrape;
}

ScrapeTrack::Outcome ScrapeTrack::update(const VllmPage& page,
                                         const std::vector<ServedModel>& models, Instant now) {
  constexpr Duration kQuickestStart = std::chrono::seconds(30);
  constexpr std::uint32_t kMostOfOneRestart = 4;
  Outcome outcome;
  for (const auto& model : models) {
    for (const auto* reading : engines_of(page, model.name)) {
      if (reading->model.empty() && models.size() > 1) continue;
      if (reading->engine < model.first_engine) continue;
      const std::uint32_t number = reading->engine - model.first_engine;
      if (number >= model.ranks) continue;
      RankScrape scrape = follow(ranks_[{model.name, number}], *reading, outcome);
      scrape.model = model.name;
      scrape.rank = number;
      outcome.ranks.push_back(std::move(scrape));
    }
  }
  if (!outcome.restarted) return outcome;
  const bool again = fell_at_ && now - *fell_at_ < kQuickestStart;
  fell_at_ = now;
  falls_ = again ? falls_ + 1 : 1;
  outcome.restarted = !again;
  outcome.erratic = falls_ > kMostOfOneRestart;
  return outcome;
}

}  // namespace berth::fleet
