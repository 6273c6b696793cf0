#include "fleet/server_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <utility>

#include "base/check.h"
#include "fleet/discovery.h"
#include "fleet/server_requests.h"

namespace berth::fleet {
namespace {

constexpr std::string_view kModelsPath = "/v1/models";
constexpr std::string_view kMetricsPath = "/metrics";
constexpr std::string_view kHealthPath = "/health";
// Between checks the data path asks for.
constexpr Duration kLeastGap = std::chrono::milliseconds(100);

Instant now() { return std::chrono::steady_clock::now(); }

// Has one of the models fewer ranks than before?
bool lacks_ranks(const std::vector<ServedModel>& models, const std::vector<ServedModel>& before) {
  return std::any_of(models.begin(), models.end(), [&before](const ServedModel& model) {
    return std::any_of(before.begin(), before.end(), [&model](const ServedModel& old) {
      return old.name == model.name && model.ranks < old.ranks;
    });
  });
}

void no_exceptions(const std::exception_ptr& error) { BERTH_CHECK(error == nullptr); }

}  // namespace

Duration pause_after_scrape(Duration every, Duration took) {
  return std::max(every - took, 3 * took);
}

ServerWatch::ServerWatch(net::asio::io_context& io, std::uint32_t index, ServerSettings settings,
                         FleetTimings timings, Listener& listener)
    : io_(io),
      index_(index),
      settings_(std::make_shared<const ServerSettings>(std::move(settings))),
      timings_(timings),
      listener_(&listener),
      health_timer_(io),
      metrics_timer_(io),
      random_(index + 1),
      health_(HealthPolicy{.stuck_after = timings.stuck_after}) {}

void ServerWatch::start() {
  response_bytes_ = listener_->response_bytes(index_);
  scraped_at_ = now();
  net::asio::co_spawn(io_, watch_health(shared_from_this()), no_exceptions);
  net::asio::co_spawn(io_, watch_metrics(shared_from_this()), no_exceptions);
}

void ServerWatch::stop() {
  stopped_ = true;
  health_timer_.cancel();
  metrics_timer_.cancel();
}

void ServerWatch::change(ServerSettings settings) {
  settings_ = std::make_shared<const ServerSettings>(std::move(settings));
  listed_at_.reset();
  changed_models_.clear();
  check_now();
  metrics_timer_.cancel();
}

void ServerWatch::check_now() {
  check_again_ = true;
  if (may_be_woken_) health_timer_.cancel();
}

net::Task<void> ServerWatch::watch_health(Self self) {
  while (!self->stopped_) {
    co_await self->check_health();
    if (self->stopped_) break;
    co_await self->pause_before_check();
  }
}

net::Task<void> ServerWatch::check_health() {
  check_again_ = false;
  checked_at_ = now();
  note_sign_of_life();
  const Instant started = now();
  const Settings settings = settings_;
  const auto answer = co_await ask_server(*settings, kHealthPath, timings_.health_timeout);
  if (outdated(settings)) co_return;
  note_sign_of_life();
  const CheckVerdict verdict = judge_health(*settings, answer);
  health_.on_check(verdict.result, verdict.what, started);
  tell_health();
  if (health_.wants_discovery()) metrics_timer_.cancel();
}

net::Task<void> ServerWatch::pause_before_check() {
  if (!check_again_) {
    may_be_woken_ = true;
    co_await pause(health_timer_, jittered(timings_.health_every));
    may_be_woken_ = false;
  }
  const Duration least = std::min(kLeastGap, timings_.health_every);
  const Duration since = now() - checked_at_;
  if (!stopped_ && since < least) co_await pause(health_timer_, least - since);
}

void ServerWatch::note_sign_of_life() {
  const std::uint64_t bytes = listener_->response_bytes(index_);
  if (bytes != response_bytes_) health_.on_sign_of_life(now());
  response_bytes_ = bytes;
}

net::Task<void> ServerWatch::watch_metrics(Self self) {
  while (!self->stopped_) {
    const Settings settings = self->settings_;
    const Duration next = co_await self->metrics_round();
    if (self->outdated(settings)) continue;
    co_await self->pause(self->metrics_timer_, next);
  }
}

net::Task<Duration> ServerWatch::metrics_round() {
  if (health_.wants_discovery()) {
    co_await discover();
    // A good check wakes the loop earlier.
    co_return jittered(std::max(timings_.scrape_every, timings_.health_every));
  }
  if (health_.state().health == Health::kDown) co_return jittered(timings_.health_every);
  if (!listed_at_ || now() - *listed_at_ >= timings_.discover_every) {
    const Settings settings = settings_;
    co_await list_models();
    if (outdated(settings)) co_return Duration::zero();
  }
  if (health_.state().health == Health::kDown) co_return timings_.scrape_every;
  const Instant started = now();
  co_await scrape();
  const Duration took = now() - started;
  co_return pause_after_scrape(jittered(timings_.scrape_every), took);
}

net::Task<void> ServerWatch::discover() {
  const Settings settings = settings_;
  const bool listed = co_await list_models();
  if (!listed || outdated(settings)) co_return;
  const PageAnswer got = co_await read_page();
  // It may have gone down meanwhile.
  if (outdated(settings) || !health_.wants_discovery()) co_return;
  if (!got.answered) {
    fail_discovery(got.trouble, false);
    co_return;
  }
  auto models = served_models(listed_, got.page, settings_->data_parallel_size);
  if (models.empty()) {
    fail_discovery(fmt::format("{}{} lists no model", url_text(settings_->url), kModelsPath),
                   false);
    co_return;
  }
  forget_ranks();
  if (models != told_models_) tell_models(std::move(models));
  if (got.trouble.empty()) {
    take_page(got.page);
  } else {
    fail_scrape(got.trouble);
  }
  health_.on_discovered();
  tell_health();
}

net::Task<void> ServerWatch::scrape() {
  const Settings settings = settings_;
  const PageAnswer got = co_await read_page();
  if (outdated(settings)) co_return;
  if (got.trouble.empty()) {
    take_page(got.page);
    co_return;
  }
  if (got.answered && !shows_metrics_) tell_changed_models(got.page);
  fail_scrape(got.trouble);
}

net::Task<bool> ServerWatch::list_models() {
  const Settings settings = settings_;
  const auto answer = co_await ask_server(*settings, kModelsPath, timings_.health_timeout);
  if (outdated(settings)) co_return false;
  listed_at_ = now();
  if (!answer) {
    fail_discovery(explain_error(*settings, kModelsPath, answer.error()), false);
    co_return false;
  }
  const int status = answer->status;
  if (status != 200) {
    const bool definite = status == 401 || status == 403 || status == 404;
    fail_discovery(explain_status(*settings, kModelsPath, status), definite);
    co_return false;
  }
  auto listed = parse_models_list(answer->body);
  if (!listed) {
    fail_discovery(explain_error(*settings, kModelsPath, listed.error()), false);
    co_return false;
  }
  listed_ = std::move(*listed);
  co_return true;
}

net::Task<ServerWatch::PageAnswer> ServerWatch::read_page() {
  const Settings settings = settings_;
  const auto answer = co_await ask_server(*settings, kMetricsPath, timings_.health_timeout);
  PageAnswer got;
  if (!answer) {
    got.trouble = explain_error(*settings, kMetricsPath, answer.error());
    co_return got;
  }
  got.answered = true;
  if (answer->status != 200) {
    got.trouble = explain_status(*settings, kMetricsPath, answer->status);
    co_return got;
  }
  got.page = read_vllm_page(answer->body);
  adopt_only_label(got.page, listed_);
  if (got.page.engines.empty()) {
    got.trouble =
        fmt::format("{}{} shows no vLLM metrics (was it started with --disable-log-stats?)",
                    url_text(settings_->url), kMetricsPath);
  }
  co_return got;
}

void ServerWatch::take_page(const VllmPage& page) {
  scraped_at_ = now();
  shows_metrics_ = true;
  tell_changed_models(page);
  const auto outcome = track_.update(page, told_models_, scraped_at_);
  if (!outcome.ranks.empty()) listener_->on_scrape(index_, outcome.ranks);
  if (outcome.restarted) {
    listener_->on_restarted(index_);
    listed_at_.reset();  // it may serve something else now
  }
  tell_oddities(page, outcome.erratic);
  note_sign_of_life();
  const std::string stuck =
      fmt::format("{}: requests are in flight and nothing of its metrics has moved for {:g} s",
                  url_text(settings_->url), to_seconds(timings_.stuck_after));
  health_.on_counters(outcome.worked, listener_->in_flight(index_), stuck, scraped_at_);
  tell_health();
  judge_ranks(outcome);
}

void ServerWatch::judge_ranks(const ScrapeTrack::Outcome& outcome) {
  const std::uint64_t bytes = listener_->response_bytes(index_);
  // Tokens come, and the page stands still as a whole: it is the page that hangs, not the ranks.
  const bool frozen = !outcome.worked && bytes != page_bytes_;
  page_bytes_ = bytes;
  for (const ServedModel& model : told_models_) {
    const bool shown = std::any_of(outcome.ranks.begin(), outcome.ranks.end(),
                                   [&](const RankScrape& r) { return r.model == model.name; });
    if (!shown) continue;
    for (std::uint32_t number = 0; number < model.ranks; ++number) {
      const auto seen = std::find_if(
          outcome.ranks.begin(), outcome.ranks.end(),
          [&](const RankScrape& r) { return r.model == model.name && r.rank == number; });
      const bool missing = seen == outcome.ranks.end();
      RankProgress::Page page;
      if (!missing) {
        page.moved = seen->moved || frozen;
        page.idle = seen->running == 0 && seen->waiting == 0;
        page.in_flight = listener_->in_flight_on_rank(index_, model.name, number);
      }
      judge_rank({model.name, number}, missing, page);
    }
  }
}

void ServerWatch::judge_rank(const RankKey& key, bool missing, const RankProgress::Page& page) {
  const auto& [model, number] = key;
  const ProgressPolicy policy{.down_after = timings_.stuck_after};
  Rank& rank = ranks_.try_emplace(key, Rank{RankProgress(policy), {Health::kUp, ""}}).first->second;
  if (missing) {
    rank.progress.on_page_without(scraped_at_);
    listener_->on_rank_missing(index_, model, number);
  } else {
    rank.progress.on_page(page, scraped_at_);
  }
  const HealthState& now = rank.progress.state();
  if (now == rank.told) return;
  rank.told = now;
  listener_->on_rank_health(index_, model, number, now.health, now.why);
}

void ServerWatch::forget_ranks() {
  for (const auto& [key, rank] : ranks_) {
    if (rank.told.health == Health::kUp) continue;
    listener_->on_rank_health(index_, key.first, key.second, Health::kUp, "");
  }
  ranks_.clear();
}

void ServerWatch::tell_models(std::vector<ServedModel> models) {
  told_models_ = std::move(models);
  listener_->on_discovered(index_, told_models_);
  for (auto& [key, rank] : ranks_) rank.told = {Health::kUp, ""};
}

// A change counts when two pages in a row show it: a page caught while the engine starts may lack
// ranks. Fewer ranks than before count when ten do: that costs the conversations of those that are
// gone their home.
void ServerWatch::tell_changed_models(const VllmPage& page) {
  auto models = served_models(listed_, page, settings_->data_parallel_size, told_models_);
  if (models.empty() || models == told_models_) {
    changed_models_.clear();
    return;
  }
  changed_pages_ = models == changed_models_ ? changed_pages_ + 1 : 1;
  changed_models_ = std::move(models);
  if (changed_pages_ < (lacks_ranks(changed_models_, told_models_) ? 10u : 2u)) return;
  tell_models(std::exchange(changed_models_, {}));
}

void ServerWatch::fail_discovery(const std::string& why, bool definite) {
  health_.on_discovery_failed(why, definite);
  tell_health();
}

void ServerWatch::fail_scrape(const std::string& why) {
  listener_->on_scrape_failed(index_, why, now() - scraped_at_ >= timings_.stale_after);
}

// Each once, and not more than a few in all: what comes and goes must not fill the log.
void ServerWatch::tell_oddities(const VllmPage& page, bool erratic) {
  constexpr std::size_t kMost = 32;
  std::vector<std::string> odd;
  for (const ServedModel& model : told_models_) {
    odd.push_back(odd_ranks(page, model.name, settings_->data_parallel_size));
  }
  if (!page.implausible.empty()) {
    odd.push_back(
        fmt::format("the metrics show a value of {} that is negative, too large or no "
                    "number: such values are ignored",
                    page.implausible));
  }
  if (erratic) {
    odd.emplace_back(
        "its counters fall again and again: do several servers answer under this address? Give "
        "each its own URL");
  }
  for (const std::string& what : odd) {
    if (what.empty() || told_oddities_.size() >= kMost) continue;
    if (told_oddities_.insert(what).second) listener_->on_oddity(index_, what);
  }
}

void ServerWatch::tell_health() {
  if (health_.state() == told_health_) return;
  told_health_ = health_.state();
  listener_->on_health(index_, told_health_.health, told_health_.why);
}

net::Task<void> ServerWatch::pause(net::Timer& timer, Duration duration) {
  if (stopped_) co_return;
  timer.expires_after(duration);
  co_await timer.async_wait(net::use_tuple);
}

Duration ServerWatch::jittered(Duration duration) {
  std::uniform_real_distribution<double> spread(0.9, 1.1);
  return std::chrono::duration_cast<Duration>(duration * spread(random_));
}

}  // namespace berth::fleet
