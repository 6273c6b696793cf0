// Servers and replicas in the world: discovery, health, scrapes. Tells a listener what it finds;
// decides nothing about routing.
//
// Threads: runs on the control thread's io_context; the listener is called there.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/client.h"
#include "net/types.h"

namespace berth::fleet {

enum class Health : std::uint8_t { kUp, kSuspect, kDown };

struct ServerSettings {
  http::Url url;
  std::string api_key;  // empty: none
  std::optional<std::uint32_t> data_parallel_size;
  std::shared_ptr<boost::asio::ssl::context> tls;  // null for http
};

// One model as a server lists it, with what its metrics told.
struct ServedModel {
  std::string name;  // as the metrics label it; other names of the same model are aliases
  std::vector<std::string> aliases;   // further --served-model-name values
  std::vector<std::string> adapters;  // LoRA: ids whose `parent` is this model
  std::uint32_t ranks = 1;
  std::uint32_t first_engine = 0;        // the engine label of rank 0 in the metrics
  std::uint64_t kv_tokens_per_rank = 0;  // 0: unknown
  std::uint64_t max_model_len = 0;       // 0: unknown
  friend bool operator==(const ServedModel&, const ServedModel&) = default;
};

struct RankScrape {
  std::string model;
  std::uint32_t rank = 0;
  bool moved = false;  // shows something else than the page before, or this is the first
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
  double kv_usage = 0;
  // The engine's own counters, monotonic here: a reset of the engine's is detected and added up.
  std::uint64_t prefix_queries = 0;
  std::uint64_t prefix_hits = 0;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t generation_tokens = 0;
  std::uint64_t preemptions = 0;
  // Prompt tokens that came from a cache (local or a KV connector), counted once a request. Newer
  // engines only; before them prefix_hits / prefix_queries is the measure, which counts a blocked
  // request once a step.
  std::optional<std::uint64_t> cached_prompt_tokens;
};

// All calls come on the control thread, for one server in this order: on_health(kDown, why) while
// it cannot be used; on_discovered; on_scrape; on_health(kUp); then as things change. A server
// begins as kDown, untold.
class Listener {
 public:
  virtual ~Listener() = default;
  // First discovery, and again when the set of models, ranks or the capacity changes.
  virtual void on_discovered(std::uint32_t server, const std::vector<ServedModel>& models) = 0;
  virtual void on_scrape(std::uint32_t server, const std::vector<RankScrape>& ranks) = 0;
  // A change of state, or of the reason for it. `why` is a sentence for the operator, empty when
  // up; it names the URL and never holds the key.
  virtual void on_health(std::uint32_t server, Health health, const std::string& why) = 0;
  // The engine's counters began anew: it was restarted, its caches are empty. Comes after the
  // on_scrape that showed it. A restart that is quicker than the checks is noticed by this alone.
  virtual void on_restarted(std::uint32_t /*server*/) {}
  // A rank of a server that is up no longer moves, or moves again (rank_progress.h). A rank begins
  // as up, and is again after every on_discovered, until told otherwise.
  virtual void on_rank_health(std::uint32_t /*server*/, const std::string& /*model*/,
                              std::uint32_t /*rank*/, Health /*health*/,
                              const std::string& /*why*/) {}
  // The page shows the server's engines but not this rank: what was heard of it is old.
  virtual void on_rank_missing(std::uint32_t /*server*/, const std::string& /*model*/,
                               std::uint32_t /*rank*/) {}
  // A scrape failed; `stale` when no scrape has worked for FleetTimings::stale_after, so that the
  // numbers of the last on_scrape are no longer to be trusted. The next on_scrape ends it.
  virtual void on_scrape_failed(std::uint32_t /*server*/, const std::string& /*why*/,
                                bool /*stale*/) {}
  // Something of what it shows does not look right, and how it is taken: a sentence for the
  // operator, once until it changes. Nothing about its health.
  virtual void on_oddity(std::uint32_t /*server*/, const std::string& /*what*/) {}
  // Requests Berth has in flight there now: progress is expected only then.
  virtual std::uint32_t in_flight(std::uint32_t server) const = 0;
  // Of these, the ones it sent to this rank.
  virtual std::uint32_t in_flight_on_rank(std::uint32_t /*server*/, const std::string& /*model*/,
                                          std::uint32_t /*rank*/) const {
    return 0;
  }
  // Response bytes the data path has received from there, ever: while they grow the server is
  // alive, however late its /health answers.
  virtual std::uint64_t response_bytes(std::uint32_t /*server*/) const { return 0; }
};

struct FleetTimings {
  Duration scrape_every{
      std::chrono::seconds(1)};  // stretched when scrapes are slow: at most 1/4 of the time
  Duration health_every{std::chrono::seconds(2)};
  Duration health_timeout{std::chrono::seconds(5)};   // of every request to a server
  Duration discover_every{std::chrono::seconds(30)};  // adapters come and go at run time
  Duration stale_after{std::chrono::seconds(5)};
  // Requests in flight and nothing moved: the server is suspect; a rank of it is down, and suspect
  // after half of that.
  Duration stuck_after{std::chrono::seconds(120)};
};

class Fleet {
 public:
  // `listener` must outlive the fleet; so must `io`, whose thread calls everything but
  // hint_unreachable().
  Fleet(net::asio::io_context& io, FleetTimings timings, Listener& listener);
  // As stop().
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // Servers keep their index for the fleet's life, and no index is given twice. add() starts to
  // watch at once; a server that cannot be reached is watched until it can.
  std::uint32_t add(ServerSettings settings);
  // Another key, other TLS settings, another data_parallel_size: the watch goes on with what it
  // knows, and asks at once with the new settings.
  void change(std::uint32_t server, ServerSettings settings);
  // Nothing of it is kept.
  void remove(std::uint32_t server);
  std::size_t watched() const;
  // The data path saw a server refuse a connection: check it now rather than at the next round.
  // Ignored for a server removed meanwhile. Any thread.
  void hint_unreachable(std::uint32_t server);
  // No call of the listener comes after it. Requests still out end within health_timeout, unheard.
  void stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::fleet
