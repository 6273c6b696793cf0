#include "sim/fleet.h"

#include <fmt/format.h>

#include "base/check.h"
#include "sim/random.h"

namespace berth::sim {
namespace {

// More than any run can fill: nothing is ever evicted. The engine takes memory for what is used.
constexpr std::uint64_t kInfiniteTokens = std::uint64_t{1} << 34U;

// Counters only; gauges of a former life mean nothing.
void add_counters(engine::RankStats& to, const engine::RankStats& from) {
  to.prefix_queries += from.prefix_queries;
  to.prefix_hits += from.prefix_hits;
  to.prefix_attempt_queries += from.prefix_attempt_queries;
  to.prefix_attempt_hits += from.prefix_attempt_hits;
  to.prompt_tokens += from.prompt_tokens;
  to.prompt_cached += from.prompt_cached;
  to.generation_tokens += from.generation_tokens;
  to.finished += from.finished;
  to.aborted += from.aborted;
  to.preemptions += from.preemptions;
  to.steps += from.steps;
  to.prefill_tokens += from.prefill_tokens;
  to.decode_tokens += from.decode_tokens;
  to.recomputed_tokens += from.recomputed_tokens;
  to.evicted_blocks += from.evicted_blocks;
  to.base_seconds += from.base_seconds;
  to.prefill_seconds += from.prefill_seconds;
  to.decode_seconds += from.decode_seconds;
  to.kv_blocked_seconds += from.kv_blocked_seconds;
  to.seqs_blocked_seconds += from.seqs_blocked_seconds;
  to.budget_blocked_seconds += from.budget_blocked_seconds;
}

}  // namespace

Result<void> check_fleet(const FleetSettings& settings, std::uint64_t largest_request) {
  if (settings.replicas == 0) return fail(ErrorCode::kConfig, "replicas: must be at least 1");
  if (auto checked = engine::check_spec(settings.replica); !checked) return checked;
  const std::uint64_t room = engine::max_request_tokens(settings.replica);
  if (largest_request <= room) return {};
  return fail(ErrorCode::kConfig,
              fmt::format("kv_tokens: the largest request has {} tokens with its answer, and a "
                          "replica with {} tokens of KV holds {} at most",
                          largest_request, settings.replica.kv_tokens, room));
}

Fleet::Fleet(const FleetSettings& settings, Cache cache, engine::Balancer balancer,
             std::uint64_t seed)
    : settings_(settings), balancer_(balancer), seed_(seed) {
  if (cache == Cache::kInfinite) settings_.replica.kv_tokens = kInfiniteTokens;
  if (cache == Cache::kOracle) oracle_ = std::make_shared<engine::KvOracle>();
  const bool one = settings_.topology == Topology::kRanks;
  const std::uint32_t servers = one ? 1 : settings_.replicas;
  for (std::uint32_t i = 0; i < servers; ++i) add_server(one ? settings_.replicas : 1);
}

void Fleet::add_server(std::uint32_t ranks) {
  const auto index = static_cast<std::uint32_t>(servers_.size());
  Server server;
  server.first = static_cast<routing::ReplicaIndex>(replicas_.size());
  server.ranks = ranks;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    routing::ReplicaSpec spec;
    spec.target.server = index;
    spec.label = fmt::format("gpu{}:8000", index);
    if (ranks > 1) {
      spec.target.rank = static_cast<int>(rank);
      spec.label += fmt::format("#{}", rank);
    }
    spec.kv_capacity_tokens = settings_.replica.kv_tokens;
    replicas_.push_back(std::move(spec));
    before_.emplace_back();
  }
  start(server);
  servers_.push_back(std::move(server));
}

void Fleet::start(Server& server) {
  engine::ServerSpec spec = settings_.replica;
  spec.ranks = server.ranks;
  spec.balancer = balancer_;
  spec.seed = mix(seed_ ^ mix(server.first + (++server.lives << 32U)));
  server.model = engine::make_server(spec, oracle_);
}

routing::ReplicaIndex Fleet::submit(std::uint32_t server, engine::EngineRequest request,
                                    Instant now) {
  Server& to = servers_[server];
  BERTH_CHECK(to.model != nullptr);
  const auto rank = to.model->submit(std::move(request), now);
  BERTH_CHECK(rank.has_value());  // check_fleet made sure that every request fits
  return to.first + *rank;
}

void Fleet::abort(std::uint32_t server, engine::RequestId id, Instant now) {
  if (up(server)) servers_[server].model->abort(id, now);
}

std::optional<Instant> Fleet::next_event(std::uint32_t server) const {
  return up(server) ? servers_[server].model->next_event() : std::nullopt;
}

void Fleet::advance(std::uint32_t server, Instant now, std::vector<engine::Event>& out) {
  if (up(server)) servers_[server].model->advance(now, out);
}

engine::RankStats Fleet::stats(routing::ReplicaIndex replica) const {
  const Server& server = servers_[replicas_[replica].target.server];
  engine::RankStats out;
  if (server.model != nullptr) out = server.model->rank_stats(replica - server.first);
  add_counters(out, before_[replica]);
  return out;
}

void Fleet::lose(std::uint32_t server) {
  Server& lost = servers_[server];
  if (lost.model == nullptr) return;
  for (std::uint32_t rank = 0; rank < lost.ranks; ++rank) {
    add_counters(before_[lost.first + rank], lost.model->rank_stats(rank));
  }
  lost.model.reset();
}

void Fleet::restart(std::uint32_t server) {
  if (!up(server)) start(servers_[server]);
}

routing::ReplicaIndex Fleet::add() {
  add_server(1);
  return static_cast<routing::ReplicaIndex>(replicas_.size() - 1);
}

}  // namespace berth::sim
