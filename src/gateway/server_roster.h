// The configured servers while the gateway runs: starts the fleet's watch of each, passes what the
// fleet finds to the models, and keeps each server's health for status pages.
//
// Threads: changes on the control thread, where the fleet calls; status() from any.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.h"
#include "fleet/fleet.h"
#include "gateway/model_table.h"
#include "gateway/upstream_server.h"
#include "observe/status.h"

namespace berth::gateway {

class ServerRoster final : public fleet::Listener {
 public:
  ServerRoster(net::asio::io_context& io, const config::Config& config, ModelTable& models,
               const Clock& clock);

  // Adds servers the configuration has and the roster lacks, removes the others. Equal URLs are the
  // same server: one whose key, rank count or TLS settings changed goes on with its replicas,
  // state, bindings and drains, under the new settings for every request from now on. A CA file is
  // read anew each time. kConfig: a CA file that cannot be read; nothing was changed.
  Result<void> apply(const config::Config& config);
  void hint_unreachable(std::uint32_t server);
  // Tells the models the health of every server and rank again, after a reload gave servers to
  // other models.
  void tell_health();
  // Every server has been discovered or found not to answer.
  bool settled() const;
  void stop();

  std::vector<observe::ServerStatus> status(Instant now) const;
  std::vector<std::shared_ptr<UpstreamServer>> servers() const;

  void on_discovered(std::uint32_t server, const std::vector<fleet::ServedModel>& models) override;
  void on_scrape(std::uint32_t server, const std::vector<fleet::RankScrape>& ranks) override;
  void on_health(std::uint32_t server, fleet::Health health, const std::string& why) override;
  void on_restarted(std::uint32_t server) override;
  void on_rank_health(std::uint32_t server, const std::string& model, std::uint32_t rank,
                      fleet::Health health, const std::string& why) override;
  void on_rank_missing(std::uint32_t server, const std::string& model, std::uint32_t rank) override;
  void on_oddity(std::uint32_t server, const std::string& what) override;
  void on_scrape_failed(std::uint32_t server, const std::string& why, bool stale) override;
  std::uint32_t in_flight(std::uint32_t server) const override;
  std::uint32_t in_flight_on_rank(std::uint32_t server, const std::string& model,
                                  std::uint32_t rank) const override;
  std::uint64_t response_bytes(std::uint32_t server) const override;

 private:
  struct Entry {
    config::Server settings;
    std::shared_ptr<UpstreamServer> upstream;
    fleet::Health health = fleet::Health::kSuspect;  // until the first check
    std::string why = "not checked yet";
    Instant health_since{};
    std::optional<Instant> scraped_at;
    bool known = false;  // discovered, or found down
    struct RankTrouble {
      fleet::Health health = fleet::Health::kSuspect;
      std::string why;
    };
    std::map<std::pair<std::string, std::uint32_t>, RankTrouble> ranks;  // by model; not those up
  };
  struct Prepared {
    config::Server settings;
    http::Url url;
    std::shared_ptr<net::asio::ssl::context> tls;
  };
  static Result<Prepared> prepare(const config::Server& server);
  void add(Prepared prepared);
  void change(std::uint32_t index, Prepared prepared);
  std::string free_label(const http::Url& url) const;
  std::optional<std::uint32_t> index_of(const std::string& url) const;
  bool unchanged(std::uint32_t index, const config::Server& settings) const;
  std::shared_ptr<UpstreamServer> upstream(std::uint32_t server) const;

  ModelTable& models_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::uint32_t, Entry> entries_;  // by fleet index
  fleet::Fleet fleet_;
};

}  // namespace berth::gateway
