#include "fleet/rank_progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::fleet {

void RankProgress::on_page(const Page& page, Instant now) {
  const bool was_missing = missing_ >= policy_.pages_missing;
  missing_ = 0;
  if (page.in_flight == 0) {
    waiting_since_ = {};
  } else if (waiting_since_ == Instant{}) {
    waiting_since_ = now;
  }
  if (page.moved || was_missing) {
    moved_at_ = now;
    return enter(Health::kUp, "", now);
  }
  if (page.in_flight == 0) {
    const bool again = state_.health != Health::kUp && now - since_ >= policy_.retry_after;
    return again ? enter(Health::kUp, "", now) : void();
  }
  if (page.idle && moved_at_ > waiting_since_) return;
  const Duration quiet = now - std::max(waiting_since_, moved_at_);
  const auto why = [](Duration limit) {
    return fmt::format("requests are in flight and nothing of its metrics has moved for {:g} s",
                       to_seconds(limit));
  };
  if (quiet >= policy_.down_after) {
    enter(Health::kDown, why(policy_.down_after), now);
  } else if (quiet >= policy_.down_after / 2 && state_.health == Health::kUp) {
    enter(Health::kSuspect, why(policy_.down_after / 2), now);
  }
}

void RankProgress::on_page_without(Instant now) {
  if (++missing_ == 1) missing_since_ = now;
  if (missing_ < policy_.pages_missing) return;
  constexpr const char* kWhy = "its server's metrics do not show it any more";
  if (now - missing_since_ >= policy_.down_after) {
    enter(Health::kDown, kWhy, now);
  } else if (state_.health == Health::kUp) {
    enter(Health::kSuspect, kWhy, now);
  }
}

void RankProgress::enter(Health health, const std::string& why, Instant now) {
  if (health != state_.health) since_ = now;
  state_ = {health, why};
}

}  // namespace berth::fleet
