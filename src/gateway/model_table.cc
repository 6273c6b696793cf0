#include "gateway/model_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <mutex>

#include "gateway/model_match.h"
#include "observe/log.h"

namespace berth::gateway {

namespace {

void overlay(const config::Model& from, routing::Settings& to) {
  if (from.affinity) to.affinity = *from.affinity;
  if (from.policy) to.policy = routing::policy_from_name(*from.policy).value_or(to.policy);
  if (from.overflow_threshold || from.overflow_auto)
    to.overflow_threshold = from.overflow_threshold;
  if (from.max_num_seqs) to.max_num_seqs = from.max_num_seqs;
}

routing::ReplicaState to_state(fleet::Health health) {
  switch (health) {
    case fleet::Health::kUp:
      return routing::ReplicaState::kUp;
    case fleet::Health::kSuspect:
      return routing::ReplicaState::kSuspect;
    case fleet::Health::kDown:
      return routing::ReplicaState::kDown;
  }
  return routing::ReplicaState::kDown;
}

void warn_all(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) observe::log_warning("{}", sentence);
}

}  // namespace

routing::Settings routing_settings(const config::Config& config, const config::Model* model) {
  routing::Settings settings;
  settings.max_bindings = config.limits.bindings_per_model;
  settings.binding_ttl = config.routing.binding_ttl;
  overlay(config.model_defaults, settings);
  if (model != nullptr) overlay(*model, settings);
  return settings;
}

ModelTable::ModelTable(const config::Config& config, std::uint64_t seed, Instant now)
    : config_(config), seed_(seed) {
  const std::unique_lock lock(mutex_);
  // Models the file names exist from the start, so that a request for one that is not up yet gets a
  // 503 and not "no such model".
  for (const config::Model& model : config_.models) {
    if (!model.name.empty()) entry_for(model.name, now);
  }
  index_names();
}

const config::Model* ModelTable::configured(const std::string& name) const {
  const config::Model* rest = nullptr;
  for (const config::Model& model : config_.models) {
    if (model.name == name) return &model;
    if (model.name.empty()) rest = &model;
  }
  return rest;
}

ModelTable::Entry& ModelTable::entry_for(const std::string& name, Instant now) {
  const auto at = entries_.find(name);
  if (at != entries_.end()) return at->second;
  Entry entry;
  const config::Model* model = configured(name);
  entry.settings = routing_settings(config_, model);
  entry.model =
      std::make_shared<Model>(name, entry.settings, seed_ ^ std::hash<std::string>{}(name));
  if (model != nullptr) entry.aliases = model->aliases;
  if (auto waiting = waiting_.extract(name); !waiting.empty()) {
    for (routing::SavedBinding& binding : waiting.mapped()) binding.idle += now - waiting_since_;
    entry.model->import_bindings(std::move(waiting.mapped()), now);
  }
  return entries_.emplace(name, std::move(entry)).first->second;
}

// The further names of a model are those its servers list now: adapters come and go.
void ModelTable::collect_served() {
  for (auto& [name, entry] : entries_) {
    entry.served.clear();
    for (const auto& [server, models] : entry.servers) {
      for (const fleet::ServedModel& model : models) {
        for (std::string& served : names_of(model)) entry.served.insert(std::move(served));
      }
    }
    entry.served.erase(name);
  }
}

ModelTable::Resolved ModelTable::resolved(const Entry& entry, const std::string& upstream_name) {
  std::vector<std::uint32_t> servers;
  for (const auto& [server, models] : entry.servers) {
    const bool listed = std::any_of(models.begin(), models.end(), [&](const auto& model) {
      const std::vector<std::string> names = names_of(model);
      return std::find(names.begin(), names.end(), upstream_name) != names.end();
    });
    if (listed) servers.push_back(server);
  }
  Resolved out{entry.model, upstream_name, nullptr};
  if (servers.size() < entry.servers.size()) {
    out.servers = std::make_shared<const std::vector<std::uint32_t>>(std::move(servers));
  }
  return out;
}

// Later ones win: an alias gives way to every name an engine really serves, and so does the name of
// an entry that no server was found for.
void ModelTable::index_names() {
  collect_served();
  by_name_.clear();
  for (const auto& [name, entry] : entries_) {
    for (const std::string& alias : entry.aliases) by_name_[alias] = resolved(entry, name);
  }
  for (const auto& [name, entry] : entries_) {
    if (entry.servers.empty()) by_name_[name] = resolved(entry, name);
  }
  for (const auto& [name, entry] : entries_) {
    for (const std::string& served : entry.served) by_name_[served] = resolved(entry, served);
  }
  for (const auto& [name, entry] : entries_) {
    if (!entry.servers.empty()) by_name_[name] = resolved(entry, name);
  }
}

std::optional<ModelTable::Resolved> ModelTable::resolve(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto at = by_name_.find(name);
  if (at == by_name_.end()) return std::nullopt;
  return at->second;
}

std::shared_ptr<Model> ModelTable::only() const {
  const std::shared_lock lock(mutex_);
  return entries_.size() == 1 ? entries_.begin()->second.model : nullptr;
}

std::vector<std::shared_ptr<Model>> ModelTable::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<Model>> out;
  for (const auto& [name, entry] : entries_) out.push_back(entry.model);
  return out;
}

void ModelTable::configure(const config::Config& config, Instant now) {
  std::vector<std::string> sentences;
  {
    const std::unique_lock lock(mutex_);
    sentences = take_over(config, now);
  }
  warn_all(sentences);
}

std::vector<std::string> ModelTable::take_over(const config::Config& config, Instant now) {
  config_ = config;
  for (const config::Model& model : config_.models) {
    if (!model.name.empty()) entry_for(model.name, now);
  }
  for (auto& [name, entry] : entries_) {
    const config::Model* model = configured(name);
    entry.aliases = model != nullptr ? model->aliases : std::vector<std::string>{};
    entry.settings = routing_settings(config_, model);
    entry.model->set_settings(entry.settings, now);
  }
  std::vector<std::string> sentences;
  for (auto& [server, discovery] : discoveries_) {
    std::vector<std::string> told = apply(discovery, now);
    std::move(told.begin(), told.end(), std::back_inserter(sentences));
  }
  index_names();
  return sentences;
}

Result<void> ModelTable::change_routing(const std::string& name,
                                        const observe::RoutingChange& change, Instant now) {
  const std::unique_lock lock(mutex_);
  const auto resolved = by_name_.find(name);
  if (resolved == by_name_.end()) {
    return fail(ErrorCode::kNotFound, fmt::format("no model \"{}\" here", name));
  }
  Entry& entry = entries_.at(resolved->second.model->name());
  if (change.affinity) entry.settings.affinity = *change.affinity;
  if (change.policy) entry.settings.policy = *change.policy;
  if (change.overflow_threshold) entry.settings.overflow_threshold = *change.overflow_threshold;
  entry.model->set_settings(entry.settings, now);
  return {};
}

void ModelTable::on_discovered(const std::shared_ptr<UpstreamServer>& server,
                               const std::string& server_url,
                               const std::vector<fleet::ServedModel>& models, Instant now) {
  std::vector<std::string> sentences;
  {
    const std::unique_lock lock(mutex_);
    Discovery& discovery = discoveries_[server->index];
    discovery.server = server;
    discovery.url = server_url;
    discovery.models = models;
    sentences = apply(discovery, now);
    index_names();
  }
  warn_all(sentences);
}

std::vector<std::string> ModelTable::apply(Discovery& discovery, Instant now) {
  const std::uint32_t index = discovery.server->index;
  const ModelMatch match = match_models(config_, discovery.url, discovery.models);
  for (auto& [name, entry] : entries_) {
    const bool stays = std::any_of(match.matched.begin(), match.matched.end(),
                                   [&e = name](const auto& one) { return one.entry == e; });
    if (stays || entry.servers.erase(index) == 0) continue;
    // It serves another model now, or may no longer be used.
    entry.model->remove_server(index, now);
  }
  for (const MatchedModel& matched : match.matched) {
    const fleet::ServedModel& first = matched.models.front();
    Entry& entry = entry_for(matched.entry, now);
    entry.servers[index] = matched.models;
    entry.max_model_len = first.max_model_len;
    entry.model->set_server_replicas(discovery.server, first.ranks, first.kv_tokens_per_rank, now);
  }
  std::vector<std::string> sentences;
  std::set<std::string> unnamed(match.unnamed.begin(), match.unnamed.end());
  for (const std::string& name : unnamed) {
    if (discovery.unnamed.contains(name)) continue;
    sentences.push_back(fmt::format("{} serves \"{}\", which no [[model]] names: it is not offered",
                                    discovery.url, name));
  }
  discovery.unnamed = std::move(unnamed);
  return sentences;
}

std::vector<std::string> ModelTable::newly_unserved() {
  const std::unique_lock lock(mutex_);
  std::vector<std::string> out;
  std::set<std::string> unserved;
  for (const auto& [name, entry] : entries_) {
    const config::Model* model = configured(name);
    if (model == nullptr || model->name.empty() || !entry.servers.empty()) continue;
    unserved.insert(name);
    if (told_unserved_.contains(name)) continue;
    const Resolved& other = by_name_.at(name);
    out.push_back(
        other.model == entry.model
            ? fmt::format("[[model]] \"{}\": no server that answers lists that name and "
                          "may be used for it",
                          name)
            : fmt::format("[[model]] \"{}\" names another name of \"{}\", whose entry has "
                          "its servers: its settings are not used",
                          name, other.model->name()));
  }
  told_unserved_ = std::move(unserved);
  return out;
}

void ModelTable::on_scrape(std::uint32_t server, const std::vector<fleet::RankScrape>& ranks,
                           Instant now) {
  for (const auto& [model, metrics_name] : models_on(server)) {
    for (const fleet::RankScrape& rank : ranks) {
      if (rank.model != metrics_name) continue;
      routing::ReplicaStats stats;
      stats.running = rank.running;
      stats.waiting = rank.waiting;
      stats.kv_usage = rank.kv_usage;
      observe::EngineCounters counters;
      counters.prefix_queries = rank.prefix_queries;
      counters.prefix_hits = rank.prefix_hits;
      counters.prompt_tokens = rank.prompt_tokens;
      counters.generation_tokens = rank.generation_tokens;
      counters.preemptions = rank.preemptions;
      model->on_scrape(server, rank.rank, stats, counters, now);
    }
  }
}

// With the name by which the server's metrics tell the replicas of each apart.
std::vector<std::pair<std::shared_ptr<Model>, std::string>> ModelTable::models_on(
    std::uint32_t server) const {
  const std::shared_lock lock(mutex_);
  std::vector<std::pair<std::shared_ptr<Model>, std::string>> out;
  for (const auto& [name, entry] : entries_) {
    const auto at = entry.servers.find(server);
    if (at != entry.servers.end()) out.emplace_back(entry.model, at->second.front().name);
  }
  return out;
}

void ModelTable::on_health(std::uint32_t server, fleet::Health health, Instant now) {
  for (const std::shared_ptr<Model>& model : all())
    model->set_server_state(server, to_state(health), now);
}

void ModelTable::on_rank_health(std::uint32_t server, const std::string& metrics_name,
                                std::uint32_t rank, fleet::Health health, const std::string& why,
                                Instant now) {
  for (const auto& [model, name] : models_on(server)) {
    if (name == metrics_name) model->set_rank_state(server, rank, to_state(health), why, now);
  }
}

std::uint32_t ModelTable::in_flight_on_rank(std::uint32_t server, const std::string& metrics_name,
                                            std::uint32_t rank) const {
  std::uint32_t count = 0;
  for (const auto& [model, name] : models_on(server)) {
    if (name == metrics_name) count += model->in_flight_on_rank(server, rank);
  }
  return count;
}

void ModelTable::on_scrape_lost(std::uint32_t server) {
  for (const auto& [model, name] : models_on(server)) model->on_scrape_lost(server, std::nullopt);
}

void ModelTable::on_rank_missing(std::uint32_t server, const std::string& metrics_name,
                                 std::uint32_t rank) {
  for (const auto& [model, name] : models_on(server)) {
    if (name == metrics_name) model->on_scrape_lost(server, rank);
  }
}

void ModelTable::on_restarted(std::uint32_t server, Instant now) {
  for (const std::shared_ptr<Model>& model : all()) model->on_restarted(server, now);
}

void ModelTable::replace_server(const std::shared_ptr<UpstreamServer>& server) {
  const std::unique_lock lock(mutex_);
  const auto discovery = discoveries_.find(server->index);
  if (discovery != discoveries_.end()) discovery->second.server = server;
  for (const auto& [name, entry] : entries_) entry.model->replace_server(server);
}

void ModelTable::tick(Instant now) {
  for (const std::shared_ptr<Model>& model : all()) model->tick(now);
  forget_unused(now);
}

void ModelTable::forget_unused(Instant now) {
  const std::unique_lock lock(mutex_);
  const std::size_t forgotten = std::erase_if(entries_, [this](const auto& one) {
    const auto& [name, entry] = one;
    const config::Model* model = configured(name);
    const bool named = model != nullptr && !model->name.empty();
    return !named && entry.servers.empty() && entry.model->idle();
  });
  if (forgotten > 0) index_names();
  if (!waiting_.empty() && now - waiting_since_ >= config_.routing.binding_ttl) {
    waiting_.clear();
  }
}

void ModelTable::remove_server(std::uint32_t server, Instant now) {
  const std::unique_lock lock(mutex_);
  discoveries_.erase(server);
  for (auto& [name, entry] : entries_) {
    if (entry.servers.erase(server) > 0) entry.model->remove_server(server, now);
  }
  index_names();
}

void ModelTable::import_bindings(std::map<std::string, std::vector<routing::SavedBinding>> saved,
                                 Instant now) {
  const std::unique_lock lock(mutex_);
  if (waiting_.empty()) waiting_since_ = now;
  for (auto& [name, bindings] : saved) {
    const auto at = entries_.find(name);
    if (at != entries_.end()) {
      at->second.model->import_bindings(std::move(bindings), now);
      continue;
    }
    for (routing::SavedBinding& binding : bindings) binding.idle -= now - waiting_since_;
    auto& waiting = waiting_[name];
    waiting.insert(waiting.end(), std::make_move_iterator(bindings.begin()),
                   std::make_move_iterator(bindings.end()));
  }
}

std::map<std::string, std::vector<routing::SavedBinding>> ModelTable::export_bindings(
    Instant now) const {
  std::map<std::string, std::vector<routing::SavedBinding>> out;
  {
    const std::shared_lock lock(mutex_);
    out = waiting_;
    for (auto& [name, bindings] : out) {
      for (routing::SavedBinding& binding : bindings) binding.idle += now - waiting_since_;
    }
  }
  for (const std::shared_ptr<Model>& model : all()) {
    out[model->name()] = model->export_bindings(now);
  }
  return out;
}

std::vector<ModelTable::Name> ModelTable::names() const {
  const std::shared_lock lock(mutex_);
  std::vector<Name> out;
  for (const auto& [name, entry] : entries_) {
    if (entry.servers.empty()) continue;
    out.push_back({name, entry.aliases, entry.max_model_len});
    for (const std::string& served : entry.served) out.push_back({served, {}, entry.max_model_len});
  }
  return out;
}

std::vector<observe::ModelStatus> ModelTable::status(Instant now) const {
  const std::shared_lock lock(mutex_);
  std::vector<observe::ModelStatus> out;
  for (const auto& [name, entry] : entries_) {
    observe::ModelStatus status = entry.model->status(now);
    status.aliases = entry.aliases;
    status.adapters.assign(entry.served.begin(), entry.served.end());
    out.push_back(std::move(status));
  }
  return out;
}

}  // namespace berth::gateway
