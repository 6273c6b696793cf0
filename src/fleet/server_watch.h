// Watches one server: asks for its models, reads its metrics, checks its health, and tells the
// listener.
//
// Two loops, as a slow /metrics must not hold up /health nor the other way round: progress in the
// metrics is what tells a busy server from a dead one. Neither loop ever has two requests out.
// While the server does not answer its checks the metrics loop rests.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet.h"
#include "fleet/health.h"
#include "fleet/models_list.h"
#include "fleet/rank_progress.h"
#include "fleet/scrape_track.h"
#include "fleet/vllm_metrics.h"
#include "net/types.h"

namespace berth::fleet {

// How long to rest after a scrape that took `took`, so that scrapes begin `every` apart, but take
// no more than a quarter of the time: a large engine's page costs its API server something
// (llm-d-inference-scheduler#1842).
Duration pause_after_scrape(Duration every, Duration took);

// Owner: Fleet and the two loops. Thread: the io_context's.
class ServerWatch : public std::enable_shared_from_this<ServerWatch> {
 public:
  // `listener` must outlive the watch until stop().
  ServerWatch(net::asio::io_context& io, std::uint32_t index, ServerSettings settings,
              FleetTimings timings, Listener& listener);

  void start();
  // The listener hears nothing after it.
  void stop();
  // Goes on with other settings. What the server answers to a request sent before tells nothing any
  // more; the models are listed anew at once.
  void change(ServerSettings settings);
  // Checks the server's health now, or again when a check is out; but not more often than every 100
  // ms.
  void check_now();

 private:
  using RankKey = std::pair<std::string, std::uint32_t>;  // model and rank
  using Self = std::shared_ptr<ServerWatch>;
  // Requests under way share them, so that a change takes nothing away from under them.
  using Settings = std::shared_ptr<const ServerSettings>;
  static net::Task<void> watch_health(Self self);
  static net::Task<void> watch_metrics(Self self);

  // What a GET of /metrics gave.
  struct PageAnswer {
    VllmPage page;
    bool answered = false;  // whatever the status
    std::string trouble;    // empty: the page shows the engine's metrics
  };

  // Health.
  net::Task<void> check_health();
  net::Task<void> pause_before_check();
  void note_sign_of_life();

  // Metrics and models. metrics_round() returns how long to pause before the next one.
  net::Task<Duration> metrics_round();
  net::Task<void> discover();
  net::Task<void> scrape();
  // False when the list could not be had; what that means has been told.
  net::Task<bool> list_models();
  net::Task<PageAnswer> read_page();
  void take_page(const VllmPage& page);
  void judge_ranks(const ScrapeTrack::Outcome& outcome);
  void judge_rank(const RankKey& key, bool missing, const RankProgress::Page& page);
  // What is known of how they move; the engines that come may be others.
  void forget_ranks();
  void tell_models(std::vector<ServedModel> models);
  void tell_changed_models(const VllmPage& page);
  void fail_discovery(const std::string& why, bool definite);
  void fail_scrape(const std::string& why);

  // Has the watch ended, or gone on with other settings than those a request was sent with?
  bool outdated(const Settings& asked_with) const { return stopped_ || settings_ != asked_with; }
  void tell_health();
  void tell_oddities(const VllmPage& page, bool erratic);
  net::Task<void> pause(net::Timer& timer, Duration duration);
  Duration jittered(Duration duration);

  net::asio::io_context& io_;
  const std::uint32_t index_;
  Settings settings_;
  const FleetTimings timings_;
  Listener* listener_;
  net::Timer health_timer_;
  net::Timer metrics_timer_;
  std::minstd_rand random_;
  bool stopped_ = false;

  HealthMachine health_;
  HealthState told_health_;
  bool check_again_ = false;
  bool may_be_woken_ = false;
  Instant checked_at_{};
  std::uint64_t response_bytes_ = 0;

  ScrapeTrack track_;
  std::vector<ListedModel> listed_;
  std::vector<ServedModel> told_models_;
  std::vector<ServedModel> changed_models_;  // told when seen on enough pages in a row
  std::uint32_t changed_pages_ = 0;          // in a row that showed them
  struct Rank {
    RankProgress progress;
    HealthState told;
  };
  std::map<RankKey, Rank> ranks_;
  std::uint64_t page_bytes_ = 0;  // response bytes when the last page came
  std::set<std::string> told_oddities_;
  bool shows_metrics_ = false;
  std::optional<Instant> listed_at_;  // none: due
  Instant scraped_at_{};
};

}  // namespace berth::fleet
