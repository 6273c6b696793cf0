// Servers and replicas in the world: discovery, health, scrapes. Tells a listener what it finds; decides
// nothing about routing.
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
  std::string name;
  std::vector<std::string> adapters;     // LoRA: ids whose `parent` is this model
  std::uint32_t ranks = 1;
  std::uint64_t kv_tokens_per_rank = 0;  // 0: unknown
};

struct RankScrape {
  std::string model;
  std::uint32_t rank = 0;
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
  double kv_usage = 0;
  // The engine's own counters, monotonic here: a reset of the engine's is detected and added up.
  std::uint64_t prefix_queries = 0;
  std::uint64_t prefix_hits = 0;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t generation_tokens = 0;
  std::uint64_t preemptions = 0;
};

class Listener {
 public:
  virtual ~Listener() = default;
  // First discovery, and again when the set of models, ranks or the capacity changes.
  virtual void on_discovered(std::uint32_t server, const std::vector<ServedModel>& models) = 0;
  virtual void on_scrape(std::uint32_t server, const std::vector<RankScrape>& ranks) = 0;
  virtual void on_health(std::uint32_t server, Health health, const std::string& why) = 0;
  // Requests Berth has in flight there now: progress is expected only then.
  virtual std::uint32_t in_flight(std::uint32_t server) const = 0;
};

struct FleetTimings {
  Duration scrape_every{std::chrono::seconds(1)};
  Duration health_every{std::chrono::seconds(2)};
  Duration health_timeout{std::chrono::seconds(5)};
  Duration stuck_after{std::chrono::seconds(120)};  // in flight > 0 and no counter moved: suspect
};

class Fleet {
 public:
  Fleet(net::asio::io_context& io, FleetTimings timings, Listener& listener);
  ~Fleet();
  // Servers keep their index for the fleet's life. add() starts to watch at once.
  std::uint32_t add(ServerSettings settings);
  void remove(std::uint32_t server);
  // The data path saw a server refuse a connection: check it now rather than at the next round.
  void hint_unreachable(std::uint32_t server);
  void stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::fleet
