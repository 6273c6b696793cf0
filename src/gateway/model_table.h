// Every model the gateway serves, by every name a client may use: served names, LoRA adapters,
// aliases.
//
// Threads: resolve() from any worker (shared lock, no allocation but the name); everything else
// from the control thread. model_match.h says which entry a server's models belong to.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/schema.h"
#include "fleet/fleet.h"
#include "gateway/model.h"

namespace berth::gateway {

class ModelTable {
 public:
  // `seed` feeds the routers' tie-breaks.
  ModelTable(const config::Config& config, std::uint64_t seed, Instant now);

  struct Resolved {
    std::shared_ptr<Model> model;
    std::string
        upstream_name;  // what the engine calls it: differs from the client's word for an alias
    routing::Servers servers;  // that serve it under this name; null: all of the model's
  };
  std::optional<Resolved> resolve(std::string_view name) const;
  // The only model there is, for requests that cannot name one.
  std::shared_ptr<Model> only() const;
  std::vector<std::shared_ptr<Model>> all() const;

  // Aliases and settings of a reloaded configuration; routing settings changed at run time are
  // replaced.
  void configure(const config::Config& config, Instant now);
  Result<void> change_routing(const std::string& model, const observe::RoutingChange& change,
                              Instant now);

  void on_discovered(const std::shared_ptr<UpstreamServer>& server, const std::string& server_url,
                     const std::vector<fleet::ServedModel>& models, Instant now);
  // Entries of the configuration that no server was found for, each in a sentence for the operator,
  // once until one is found. Call when every server has been asked.
  std::vector<std::string> newly_unserved();
  // Figures of a model go to its replicas only, whatever else the server serves.
  void on_scrape(std::uint32_t server, const std::vector<fleet::RankScrape>& ranks, Instant now);
  void on_health(std::uint32_t server, fleet::Health health, Instant now);
  // Of one rank, by the model's name in the server's metrics.
  void on_rank_health(std::uint32_t server, const std::string& metrics_name, std::uint32_t rank,
                      fleet::Health health, const std::string& why, Instant now);
  std::uint32_t in_flight_on_rank(std::uint32_t server, const std::string& metrics_name,
                                  std::uint32_t rank) const;
  // What was scraped is old: of the whole server, or of one rank of it.
  void on_scrape_lost(std::uint32_t server);
  void on_rank_missing(std::uint32_t server, const std::string& metrics_name, std::uint32_t rank);
  void on_restarted(std::uint32_t server, Instant now);
  // The same server with another key or other TLS settings.
  void replace_server(const std::shared_ptr<UpstreamServer>& server);
  void remove_server(std::uint32_t server, Instant now);
  // Once a second: every model's tick. A model that no server serves, no configuration names and
  // nothing refers to is forgotten.
  void tick(Instant now);

  // Bindings of a state file or of a part of one, by model; those of models not discovered yet wait
  // for them.
  void import_bindings(std::map<std::string, std::vector<routing::SavedBinding>> saved,
                       Instant now);
  std::map<std::string, std::vector<routing::SavedBinding>> export_bindings(Instant now) const;

  // Names a client may send, as GET /v1/models lists them.
  struct Name {
    std::string id;
    std::vector<std::string> aliases;
    std::uint64_t max_model_len = 0;  // 0: unknown
  };
  std::vector<Name> names() const;
  std::vector<observe::ModelStatus> status(Instant now) const;

 private:
  struct Entry {
    std::shared_ptr<Model> model;
    std::set<std::string>
        served;  // further names the engine answers to: adapters, extra served names
    std::vector<std::string> aliases;  // names only Berth knows: need the model edit
    // What each server serves of it; the first gives ranks, capacity and the name in its metrics.
    std::map<std::uint32_t, std::vector<fleet::ServedModel>> servers;
    routing::Settings settings;
    std::uint64_t max_model_len = 0;
  };
  struct Discovery {
    std::shared_ptr<UpstreamServer> server;
    std::string url;
    std::vector<fleet::ServedModel> models;
    std::set<std::string> unnamed;  // of them, those that no entry takes: the operator was told
  };
  // Returns a sentence for the operator on each model that no entry takes since now. They are
  // logged when the lock is free again: requests wait for it, and must not wait for a log.
  std::vector<std::string> apply(Discovery& discovery, Instant now);
  std::vector<std::string> take_over(const config::Config& config, Instant now);  // sentences too
  Entry& entry_for(const std::string& name, Instant now);
  // The entry of the configuration for a model: its own, or the nameless one for all others.
  const config::Model* configured(const std::string& name) const;
  std::vector<std::pair<std::shared_ptr<Model>, std::string>> models_on(std::uint32_t server) const;
  void collect_served();
  static Resolved resolved(const Entry& entry, const std::string& upstream_name);
  void index_names();
  void forget_unused(Instant now);

  mutable std::shared_mutex mutex_;
  config::Config config_;
  const std::uint64_t seed_;
  std::map<std::string, Entry> entries_;
  std::map<std::uint32_t, Discovery> discoveries_;  // the last of each server, for reloads
  std::map<std::string, std::vector<routing::SavedBinding>> waiting_;  // of models not seen yet
  Instant waiting_since_{};  // what their idle time counts from
  std::map<std::string, Resolved, std::less<>> by_name_;
  std::set<std::string> told_unserved_;
};

// Routing settings of one model: its own, over the defaults of the file, over the built-in ones.
routing::Settings routing_settings(const config::Config& config, const config::Model* model);

}  // namespace berth::gateway
