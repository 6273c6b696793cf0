#include "gateway/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace berth::gateway {

using routing::ReplicaIndex;
using routing::ReplicaState;

namespace {

observe::EngineCounters since(const observe::EngineCounters& now,
                              const observe::EngineCounters& base) {
  observe::EngineCounters d;
  d.prefix_queries = now.prefix_queries - base.prefix_queries;
  d.prefix_hits = now.prefix_hits - base.prefix_hits;
  d.prompt_tokens = now.prompt_tokens - base.prompt_tokens;
  d.generation_tokens = now.generation_tokens - base.generation_tokens;
  d.preemptions = now.preemptions - base.preemptions;
  return d;
}

}  // namespace

std::string replica_label(const UpstreamServer& server, std::optional<int> rank) {
  return rank ? fmt::format("{}#{}", server.label, *rank) : server.label;
}

Model::Model(std::string name, const routing::Settings& settings, std::uint64_t seed)
    : name_(std::move(name)), router_(settings, seed) {}

void Model::set_server_replicas(const std::shared_ptr<UpstreamServer>& server, std::uint32_t ranks,
                                std::uint64_t kv_tokens_per_rank, Instant now) {
  const std::lock_guard lock(mutex_);
  servers_[server->index] = server;
  std::vector<std::optional<int>> wanted;
  if (ranks <= 1) {
    wanted.emplace_back(std::nullopt);
  } else {
    for (std::uint32_t r = 0; r < ranks; ++r) wanted.emplace_back(static_cast<int>(r));
  }
  Replica fresh;
  fresh.server = server;
  std::size_t present = 0;
  std::size_t drained = 0;
  for (auto& [index, replica] : replicas_) {
    if (replica.removed || replica.server->index != server->index) continue;
    ++present;
    if (replica.drain) ++drained;
    fresh.server_state = replica.server_state;
    if (std::erase(wanted, replica.rank) > 0) {
      router_.on_capacity(index, kv_tokens_per_rank);
      continue;
    }
    replica.removed = true;
    router_.remove_replica(index, now);
  }
  fresh.drain = present > 0 && drained == present;
  for (const std::optional<int>& rank : wanted) {
    fresh.rank = rank;
    fresh.label = replica_label(*server, rank);
    add_replica(fresh, kv_tokens_per_rank, now);
  }
  import_waiting(now);
}

void Model::add_replica(Replica replica, std::uint64_t kv_tokens, Instant now) {
  routing::ReplicaSpec spec;
  spec.target = routing::Target{replica.server->index, replica.rank};
  spec.label = replica.label;
  spec.kv_capacity_tokens = kv_tokens;
  const ReplicaIndex index = router_.add_replica(std::move(spec), now);
  if (const auto at = replicas_.find(index); at != replicas_.end()) {
    const Replica& before = at->second;  // the same one was removed and is back
    replica.drain = replica.drain || before.drain;
    if (before.server->index == replica.server->index) {
      replica.engine_base = before.engine_base;
      replica.engine_now = before.engine_now;
    } else if (before.engine_now) {
      retired_engine_ += since(*before.engine_now, *before.engine_base);
    }
  }
  replicas_[index] = std::move(replica);
  apply_state(index, now);
}

void Model::replace_server(const std::shared_ptr<UpstreamServer>& server) {
  const std::lock_guard lock(mutex_);
  for (auto& [index, replica] : replicas_) {
    if (replica.server->index == server->index) replica.server = server;
  }
  if (const auto seen = servers_.find(server->index); seen != servers_.end()) {
    seen->second = server;
  }
}

void Model::import_bindings(std::vector<routing::SavedBinding> saved, Instant now) {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) waiting_since_ = now;
  for (routing::SavedBinding& binding : saved) binding.idle -= now - waiting_since_;
  import_or_keep(std::move(saved), now);
}

void Model::import_waiting(Instant now) { import_or_keep(std::exchange(waiting_, {}), now); }

void Model::import_or_keep(std::vector<routing::SavedBinding> saved, Instant now) {
  const auto here = [this](const routing::SavedBinding& binding) {
    return std::any_of(replicas_.begin(), replicas_.end(), [&](const auto& one) {
      return !one.second.removed && one.second.label == binding.replica_label;
    });
  };
  const auto first =
      std::partition(saved.begin(), saved.end(), [&](const auto& b) { return !here(b); });
  std::vector<routing::SavedBinding> ready(std::make_move_iterator(first),
                                           std::make_move_iterator(saved.end()));
  waiting_.insert(waiting_.end(), std::make_move_iterator(saved.begin()),
                  std::make_move_iterator(first));
  for (routing::SavedBinding& binding : ready) binding.idle += now - waiting_since_;
  if (!ready.empty()) router_.import_bindings(ready, now);
}

std::vector<routing::SavedBinding> Model::export_bindings(Instant now) const {
  std::vector<routing::SavedBinding> out;
  std::size_t position = 0;
  do {  // requests go on between two parts
    const std::lock_guard lock(mutex_);
    position = router_.export_part(position, out, now);
  } while (position != 0);
  const std::lock_guard lock(mutex_);
  const Duration ttl = router_.settings().binding_ttl;
  for (routing::SavedBinding binding : waiting_) {
    binding.idle += now - waiting_since_;
    if (binding.idle < ttl) out.push_back(std::move(binding));
  }
  return out;
}

void Model::remove_server(std::uint32_t server, Instant now) {
  const std::lock_guard lock(mutex_);
  for (auto& [index, replica] : replicas_) {
    if (replica.server->index != server) continue;
    replica.drain = false;
    if (replica.removed) continue;
    replica.removed = true;
    router_.remove_replica(index, now);
  }
}

void Model::on_restarted(std::uint32_t server, Instant now) {
  const std::lock_guard lock(mutex_);
  for (const auto& [index, replica] : replicas_) {
    if (!replica.removed && replica.server->index == server) router_.on_restarted(index, now);
  }
}

void Model::tick(Instant now) {
  const std::lock_guard lock(mutex_);
  router_.on_tick(now);
  if (!waiting_.empty() && now - waiting_since_ >= router_.settings().binding_ttl) waiting_.clear();
  forget_unused();
}

void Model::forget_unused() {
  for (auto at = replicas_.begin(); at != replicas_.end();) {
    const Replica& replica = at->second;
    if (!replica.removed || !router_.retire_replica(at->first)) {
      ++at;
      continue;
    }
    if (replica.engine_now) retired_engine_ += since(*replica.engine_now, *replica.engine_base);
    at = replicas_.erase(at);
  }
  std::erase_if(servers_, [this](const auto& seen) {
    const bool here = std::any_of(replicas_.begin(), replicas_.end(), [&](const auto& one) {
      return one.second.server->index == seen.first;
    });
    return !here && router_.in_flight_on_server(seen.first) == 0;
  });
}

bool Model::idle() const {
  const std::lock_guard lock(mutex_);
  return replicas_.empty() && servers_.empty() && waiting_.empty() && router_.bindings() == 0;
}

void Model::apply_state(ReplicaIndex index, Instant now) {
  const Replica& replica = replicas_.at(index);
  // Both are one of up, suspect, down, in that order.
  const ReplicaState worse = std::max(replica.server_state, replica.rank_state);
  const bool draining = replica.drain && worse != ReplicaState::kDown;
  router_.on_replica_state(index, draining ? ReplicaState::kDraining : worse, now);
}

bool Model::is_rank(const Replica& replica, std::uint32_t server, std::uint32_t rank) {
  return !replica.removed && replica.server->index == server &&
         replica.rank.value_or(0) == static_cast<int>(rank);
}

void Model::set_rank_state(std::uint32_t server, std::uint32_t rank, ReplicaState state,
                           const std::string& why, Instant now) {
  const std::lock_guard lock(mutex_);
  for (auto& [index, replica] : replicas_) {
    if (!is_rank(replica, server, rank)) continue;
    replica.rank_state = state;
    replica.why = why;
    apply_state(index, now);
  }
}

std::uint32_t Model::in_flight_on_rank(std::uint32_t server, std::uint32_t rank) const {
  const std::lock_guard lock(mutex_);
  std::uint32_t count = 0;
  for (const auto& [index, replica] : replicas_) {
    if (is_rank(replica, server, rank)) count += router_.in_flight(index);
  }
  return count;
}

void Model::on_scrape_lost(std::uint32_t server, std::optional<std::uint32_t> rank) {
  const std::lock_guard lock(mutex_);
  for (const auto& [index, replica] : replicas_) {
    if (replica.removed || replica.server->index != server) continue;
    if (!rank || is_rank(replica, server, *rank)) router_.on_scrape_lost(index);
  }
}

void Model::set_server_state(std::uint32_t server, ReplicaState state, Instant now) {
  const std::lock_guard lock(mutex_);
  for (auto& [index, replica] : replicas_) {
    if (replica.removed || replica.server->index != server) continue;
    if (state == ReplicaState::kDown) router_.on_scrape_lost(index);
    replica.server_state = state;
    apply_state(index, now);
  }
}

void Model::on_scrape(std::uint32_t server, std::uint32_t rank, const routing::ReplicaStats& stats,
                      const observe::EngineCounters& counters, Instant now) {
  const std::lock_guard lock(mutex_);
  for (auto& [index, replica] : replicas_) {
    if (!is_rank(replica, server, rank)) continue;
    if (!replica.engine_base) replica.engine_base = counters;
    replica.engine_now = counters;
    router_.on_scrape(index, stats, now);
  }
}

void Model::set_settings(const routing::Settings& settings, Instant now) {
  const std::lock_guard lock(mutex_);
  router_.on_config(settings, now);
}

Result<void> Model::set_drain(const std::string& label, bool drain, Instant now) {
  const std::lock_guard lock(mutex_);
  for (auto& [index, replica] : replicas_) {
    if (replica.removed || replica.label != label) continue;
    replica.drain = drain;
    apply_state(index, now);
    return {};
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("model \"{}\" has no replica \"{}\"", name_, label));
}

Model::Destination Model::destination(const routing::Dispatch& dispatch) const {
  const std::lock_guard lock(mutex_);
  if (dispatch.replica) {
    const Replica& replica = replicas_.at(*dispatch.replica);
    return {replica.server, replica.rank, replica.label};
  }
  const auto at = servers_.find(dispatch.target.server);
  BERTH_CHECK(at != servers_.end());
  return {at->second, dispatch.target.rank, at->second->label};
}

routing::RouterSnapshot Model::snapshot(Instant now) const {
  const std::lock_guard lock(mutex_);
  return router_.snapshot(now);
}

std::vector<routing::Explanation> Model::explain(const std::string& session, Instant now) const {
  const std::lock_guard lock(mutex_);
  return router_.explain(session, now);
}

std::optional<std::string> Model::session_of_hash(std::uint64_t hash) const {
  const std::lock_guard lock(mutex_);
  return router_.session_of_hash(hash);
}

std::string Model::label_of(ReplicaIndex replica) const {
  const std::lock_guard lock(mutex_);
  const auto known = replicas_.find(replica);
  return known == replicas_.end() ? std::string() : known->second.label;
}

observe::ModelStatus Model::status(Instant now) const {
  const std::lock_guard lock(mutex_);
  routing::RouterSnapshot snapshot = router_.snapshot(now);
  observe::ModelStatus out;
  out.name = name_;
  out.settings = snapshot.settings;
  out.threshold = snapshot.threshold;
  out.outcomes = snapshot.outcomes;
  out.bindings = snapshot.bindings;
  out.retired = snapshot.retired;
  out.retired_engine = retired_engine_;
  out.rank_blind = snapshot.rank_blind;
  out.unranked = snapshot.unranked;
  out.unranked_in_flight = snapshot.unranked_in_flight;
  for (routing::ReplicaSnapshot& replica : snapshot.replicas) {
    const Replica& mine = replicas_.at(replica.index);
    observe::ReplicaStatus status;
    if (mine.engine_now) status.engine = since(*mine.engine_now, *mine.engine_base);
    status.operator_drain = mine.drain;
    status.why = mine.why;
    status.routing = std::move(replica);
    out.replicas.push_back(std::move(status));
  }
  return out;
}

}  // namespace berth::gateway
