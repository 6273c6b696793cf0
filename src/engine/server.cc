// The ranks of one server and the balancer between them.
#include <fmt/format.h>

#include <random>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "engine/balancer.h"
#include "engine/end_heap.h"
#include "engine/rank.h"
#include "engine/server_model.h"

namespace berth::engine {
namespace {

class Server final : public ServerModel {
 public:
  Server(const ServerSpec& spec, const std::shared_ptr<KvOracle>& oracle);

  Result<std::uint32_t> submit(EngineRequest request, Instant now) override;
  void abort(RequestId id, Instant now) override;
  std::optional<Instant> next_event() const override;
  void advance(Instant now, std::vector<Event>& out) override;
  RankStats rank_stats(std::uint32_t rank) const override { return ranks_[rank].stats(); }
  const ServerSpec& spec() const override { return spec_; }

 private:
  struct Place {
    std::uint32_t rank = 0;
    std::uint32_t process = 0;
  };

  Result<void> check(const EngineRequest& request) const;
  // Time has come to `now`, and nothing has changed yet: the balancer takes the snapshots that
  // were due on the way.
  void pass_to(Instant now);
  void finish_step(std::uint32_t rank, std::vector<Event>& out);
  void ended(RequestId id);

  ServerSpec spec_;
  std::uint32_t processes_;
  std::vector<Rank> ranks_;
  EndHeap ends_;
  std::unique_ptr<RankBalancer> balancer_;
  std::vector<RankLoad> loads_;
  std::mt19937_64 random_;
  std::unordered_map<RequestId, Place> places_;
  Instant now_ = Instant::min();
};

Server::Server(const ServerSpec& spec, const std::shared_ptr<KvOracle>& oracle)
    : spec_(spec),
      processes_(spec.api_processes == 0 ? spec.ranks : spec.api_processes),
      ends_(spec.ranks),
      balancer_(make_balancer(spec.balancer, spec.ranks, processes_)),
      random_(spec.seed) {
  ranks_.reserve(spec.ranks);
  for (std::uint32_t rank = 0; rank < spec.ranks; ++rank) ranks_.emplace_back(spec, oracle);
}

Result<void> Server::check(const EngineRequest& request) const {
  BERTH_CHECK(!places_.contains(request.id));
  if (request.prompt_tokens == 0) return fail(ErrorCode::kBadRequest, "The prompt is empty.");
  if (request.rank && *request.rank >= spec_.ranks) {
    return fail(
        ErrorCode::kBadRequest,
        fmt::format("data_parallel_rank {} is out of range [0, {}).", *request.rank, spec_.ranks));
  }
  const std::uint64_t room = max_request_tokens(spec_);
  if (std::uint64_t{request.prompt_tokens} + request.output_tokens > room) {
    return fail(ErrorCode::kBadRequest,
                fmt::format("The prompt of {} tokens and {} output tokens do not fit the KV cache "
                            "of {} tokens (kv-tokens; one block of {} is the null block).",
                            request.prompt_tokens, request.output_tokens, spec_.kv_tokens,
                            spec_.block_size));
  }
  return {};
}

Result<std::uint32_t> Server::submit(EngineRequest request, Instant now) {
  const std::optional<Instant> due = next_event();
  BERTH_CHECK(!due || *due >= now);
  if (const Result<void> checked = check(request); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  pass_to(now);
  Place place;
  place.process = request.api_process ? *request.api_process % processes_
                                      : static_cast<std::uint32_t>(random_() % processes_);
  place.rank = request.rank ? *request.rank : balancer_->choose(place.process);
  balancer_->started(place.process, place.rank);
  places_.emplace(request.id, place);
  Rank& rank = ranks_[place.rank];
  rank.submit(std::move(request), now);
  ends_.set(place.rank, rank.step_end());
  return place.rank;
}

void Server::abort(RequestId id, Instant now) {
  const auto place = places_.find(id);
  if (place == places_.end()) return;
  pass_to(now);
  BERTH_CHECK(ranks_[place->second.rank].abort(id));
  ended(id);
}

std::optional<Instant> Server::next_event() const {
  const std::optional<EndHeap::End> first = ends_.first();
  return first ? std::optional<Instant>(first->at) : std::nullopt;
}

void Server::advance(Instant now, std::vector<Event>& out) {
  for (auto first = ends_.first(); first && first->at <= now; first = ends_.first()) {
    pass_to(first->at);
    finish_step(first->rank, out);
  }
  pass_to(now);
}

void Server::finish_step(std::uint32_t rank, std::vector<Event>& out) {
  const std::size_t before = out.size();
  ranks_[rank].finish_step(out);
  for (std::size_t i = before; i < out.size(); ++i) {
    out[i].rank = rank;
    if (out[i].kind == EventKind::kFinished) ended(out[i].id);
  }
  ends_.set(rank, ranks_[rank].step_end());
}

void Server::pass_to(Instant now) {
  BERTH_CHECK(now >= now_);
  now_ = now;
  if (now < balancer_->due()) return;
  loads_.clear();
  for (const Rank& rank : ranks_) loads_.push_back(rank.load());
  balancer_->observe(loads_, now);
}

void Server::ended(RequestId id) {
  const auto place = places_.find(id);
  balancer_->ended(place->second.process, place->second.rank);
  places_.erase(place);
}

}  // namespace

std::vector<RankStats> ServerModel::stats() const {
  std::vector<RankStats> all;
  all.reserve(spec().ranks);
  for (std::uint32_t rank = 0; rank < spec().ranks; ++rank) all.push_back(rank_stats(rank));
  return all;
}

std::unique_ptr<ServerModel> make_server(const ServerSpec& spec,
                                         const std::shared_ptr<KvOracle>& oracle) {
  BERTH_CHECK(check_spec(spec).has_value());
  return std::make_unique<Server>(spec, oracle);
}

}  // namespace berth::engine
