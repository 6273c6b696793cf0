#include "gateway/server_roster.h"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/server_label.h"
#include "net/tls.h"
#include "observe/log.h"

namespace berth::gateway {

namespace {

fleet::FleetTimings timings_of(const config::Config& config) {
  fleet::FleetTimings timings;
  timings.scrape_every = config.timeouts.scrape_every;
  timings.health_every = config.timeouts.health_every;
  timings.health_timeout = config.timeouts.health_timeout;
  return timings;
}

std::string key_of(const config::Server& server) {
  return server.api_key ? server.api_key->value : std::string();
}

// Would a connection and a watch be made in the same way? A CA file may hold something else by now.
bool same(const config::Server& a, const config::Server& b) {
  return a.data_parallel_size == b.data_parallel_size && key_of(a) == key_of(b) &&
         a.tls_verify == b.tls_verify && a.tls_ca_file == b.tls_ca_file && a.tls_ca_file.empty();
}

const char* health_name(fleet::Health health) {
  switch (health) {
    case fleet::Health::kUp:
      return "up";
    case fleet::Health::kSuspect:
      return "suspect";
    case fleet::Health::kDown:
      return "down";
  }
  return "down";
}

void log_health(const std::string& url, fleet::Health health, const std::string& why) {
  if (health == fleet::Health::kUp) {
    observe::log_info("{} is up", url);
  } else {
    observe::log_warning("{} is {}: {}", url, health_name(health), why);
  }
}

}  // namespace

ServerRoster::ServerRoster(net::asio::io_context& io, const config::Config& config,
                           ModelTable& models, const Clock& clock)
    : models_(models), clock_(clock), fleet_(io, timings_of(config), *this) {}

Result<ServerRoster::Prepared> ServerRoster::prepare(const config::Server& server) {
  Result<http::Url> url = http::parse_url(server.url);
  if (!url) return tl::unexpected(url.error());
  Prepared prepared{server, *url, nullptr};
  if (url->tls) {
    Result<net::TlsContext> tls = net::make_client_context({server.tls_verify, server.tls_ca_file});
    if (!tls) return tl::unexpected(tls.error());
    prepared.tls = std::move(*tls);
  }
  return prepared;
}

namespace {

std::shared_ptr<UpstreamServer> make_upstream(const config::Server& settings, const http::Url& url,
                                              const net::TlsContext& tls) {
  auto upstream = std::make_shared<UpstreamServer>();
  upstream->url = url;
  upstream->api_key = key_of(settings);
  upstream->tls = tls;
  return upstream;
}

fleet::ServerSettings watch_settings(const UpstreamServer& upstream,
                                     const config::Server& settings) {
  fleet::ServerSettings out;
  out.url = upstream.url;
  out.api_key = upstream.api_key;
  out.data_parallel_size = settings.data_parallel_size;
  out.tls = upstream.tls;
  return out;
}

}  // namespace

void ServerRoster::add(Prepared prepared) {
  auto upstream = make_upstream(prepared.settings, prepared.url, prepared.tls);
  upstream->label = free_label(prepared.url);
  // The fleet's first call comes from the event loop, after this returns: no race with the entry
  // below.
  upstream->index = fleet_.add(watch_settings(*upstream, prepared.settings));
  Entry entry;
  entry.settings = std::move(prepared.settings);
  entry.health_since = clock_.now();
  const std::uint32_t index = upstream->index;
  entry.upstream = std::move(upstream);
  const std::lock_guard lock(mutex_);
  entries_.emplace(index, std::move(entry));
}

// One that is here keeps its label, so that nothing is renamed by what a reload adds.
std::string ServerRoster::free_label(const http::Url& url) const {
  std::string label = server_label(url);
  const std::lock_guard lock(mutex_);
  const bool taken = std::any_of(entries_.begin(), entries_.end(), [&](const auto& one) {
    return one.second.upstream->label == label;
  });
  return taken ? server_label_with_scheme(url) : label;
}

void ServerRoster::change(std::uint32_t index, Prepared prepared) {
  auto upstream = make_upstream(prepared.settings, prepared.url, prepared.tls);
  upstream->index = index;
  fleet_.change(index, watch_settings(*upstream, prepared.settings));
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_.at(index);
    upstream->label = entry.upstream->label;
    upstream->counts = entry.upstream->counts;
    entry.settings = std::move(prepared.settings);
    entry.upstream = upstream;
  }
  models_.replace_server(upstream);
}

std::optional<std::uint32_t> ServerRoster::index_of(const std::string& url) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [index, entry] : entries_) {
    if (entry.settings.url == url) return index;
  }
  return std::nullopt;
}

bool ServerRoster::unchanged(std::uint32_t index, const config::Server& settings) const {
  const std::lock_guard lock(mutex_);
  return same(entries_.at(index).settings, settings);
}

Result<void> ServerRoster::apply(const config::Config& config) {
  std::vector<Prepared> wanted;
  for (const config::Server& server : config.servers) {
    Result<Prepared> prepared = prepare(server);
    if (!prepared) return tl::unexpected(prepared.error());
    wanted.push_back(std::move(*prepared));
  }
  std::vector<std::uint32_t> gone;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [index, entry] : entries_) {
      const bool stays =
          std::any_of(wanted.begin(), wanted.end(), [&e = entry](const Prepared& prepared) {
            return prepared.settings.url == e.settings.url;
          });
      if (!stays) gone.push_back(index);
    }
    for (const std::uint32_t index : gone) entries_.erase(index);
  }
  for (const std::uint32_t index : gone) {
    fleet_.remove(index);
    models_.remove_server(index, clock_.now());
  }
  for (Prepared& prepared : wanted) {
    const std::optional<std::uint32_t> known = index_of(prepared.settings.url);
    if (!known) {
      add(std::move(prepared));
    } else if (!unchanged(*known, prepared.settings)) {
      change(*known, std::move(prepared));
    }
  }
  return {};
}

void ServerRoster::hint_unreachable(std::uint32_t server) { fleet_.hint_unreachable(server); }

void ServerRoster::tell_health() {
  std::map<std::uint32_t, Entry> known;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [index, entry] : entries_) {
      if (entry.known) known.emplace(index, entry);
    }
  }
  for (const auto& [index, entry] : known) {
    models_.on_health(index, entry.health, clock_.now());
    for (const auto& [rank, trouble] : entry.ranks) {
      models_.on_rank_health(index, rank.first, rank.second, trouble.health, trouble.why,
                             clock_.now());
    }
  }
}

bool ServerRoster::settled() const {
  const std::lock_guard lock(mutex_);
  return std::all_of(entries_.begin(), entries_.end(),
                     [](const auto& one) { return one.second.known; });
}

void ServerRoster::stop() { fleet_.stop(); }

void ServerRoster::on_discovered(std::uint32_t server,
                                 const std::vector<fleet::ServedModel>& models) {
  std::shared_ptr<UpstreamServer> found;
  std::string url;
  fleet::Health health = fleet::Health::kUp;
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(server);
    if (at == entries_.end()) return;
    at->second.known = true;
    found = at->second.upstream;
    url = at->second.settings.url;
    health = at->second.health;
    at->second.ranks.clear();
  }
  for (const fleet::ServedModel& model : models) {
    observe::log_info("{} serves {}: {} replica{}, {} KV tokens each", url, model.name, model.ranks,
                      model.ranks == 1 ? "" : "s", model.kv_tokens_per_rank);
  }
  models_.on_discovered(found, url, models, clock_.now());
  for (const fleet::ServedModel& model : models) {
    for (std::uint32_t rank = 0; rank < model.ranks; ++rank) {
      models_.on_rank_health(server, model.name, rank, fleet::Health::kUp, "", clock_.now());
    }
  }
  models_.on_health(server, health, clock_.now());
}

void ServerRoster::on_scrape(std::uint32_t server, const std::vector<fleet::RankScrape>& ranks) {
  const Instant now = clock_.now();
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(server);
    if (at == entries_.end()) return;
    at->second.scraped_at = now;
  }
  models_.on_scrape(server, ranks, now);
}

void ServerRoster::on_health(std::uint32_t server, fleet::Health health, const std::string& why) {
  const Instant now = clock_.now();
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(server);
    if (at == entries_.end()) return;
    if (at->second.health != health) {
      at->second.health_since = now;
      log_health(at->second.settings.url, health, why);
    }
    at->second.health = health;
    if (health == fleet::Health::kDown) at->second.known = true;
    at->second.why = why;
  }
  models_.on_health(server, health, now);
}

void ServerRoster::on_restarted(std::uint32_t server) {
  if (const auto found = upstream(server)) {
    observe::log_warning("{} was restarted: its caches are empty", found->label);
  }
  models_.on_restarted(server, clock_.now());
}

void ServerRoster::on_rank_health(std::uint32_t server, const std::string& model,
                                  std::uint32_t rank, fleet::Health health,
                                  const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(server);
    if (at == entries_.end()) return;
    const std::string what = fmt::format("{} rank {} of {}", at->second.settings.url, rank, model);
    log_health(what, health, why);
    if (health == fleet::Health::kUp) {
      at->second.ranks.erase({model, rank});
    } else {
      at->second.ranks[{model, rank}] = {health, why};
    }
  }
  models_.on_rank_health(server, model, rank, health, why, clock_.now());
}

void ServerRoster::on_rank_missing(std::uint32_t server, const std::string& model,
                                   std::uint32_t rank) {
  models_.on_rank_missing(server, model, rank);
}

void ServerRoster::on_oddity(std::uint32_t server, const std::string& what) {
  if (const auto found = upstream(server)) observe::log_warning("{}: {}", found->label, what);
}

std::shared_ptr<UpstreamServer> ServerRoster::upstream(std::uint32_t server) const {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(server);
  return at == entries_.end() ? nullptr : at->second.upstream;
}

void ServerRoster::on_scrape_failed(std::uint32_t server, const std::string& /*why*/, bool stale) {
  if (stale) models_.on_scrape_lost(server);
  if (const auto found = upstream(server))
    found->counts->scrape_failures.fetch_add(1, std::memory_order_relaxed);
}

std::uint32_t ServerRoster::in_flight(std::uint32_t server) const {
  const auto found = upstream(server);
  return found ? found->counts->in_flight.load(std::memory_order_relaxed) : 0;
}

std::uint32_t ServerRoster::in_flight_on_rank(std::uint32_t server, const std::string& model,
                                              std::uint32_t rank) const {
  return models_.in_flight_on_rank(server, model, rank);
}

std::uint64_t ServerRoster::response_bytes(std::uint32_t server) const {
  const auto found = upstream(server);
  return found ? found->counts->response_bytes.load(std::memory_order_relaxed) : 0;
}

std::vector<observe::ServerStatus> ServerRoster::status(Instant now) const {
  const std::lock_guard lock(mutex_);
  std::vector<observe::ServerStatus> out;
  for (const auto& [index, entry] : entries_) {
    observe::ServerStatus status;
    status.index = index;
    status.url = entry.settings.url;
    status.label = entry.upstream->label;
    status.health = health_name(entry.health);
    status.why = entry.health == fleet::Health::kUp ? std::string() : entry.why;
    status.health_age = now - entry.health_since;
    if (entry.scraped_at) status.scrape_age = now - *entry.scraped_at;
    out.push_back(std::move(status));
  }
  return out;
}

std::vector<std::shared_ptr<UpstreamServer>> ServerRoster::servers() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<UpstreamServer>> out;
  for (const auto& [index, entry] : entries_) out.push_back(entry.upstream);
  return out;
}

}  // namespace berth::gateway
