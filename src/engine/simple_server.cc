#include <fmt/format.h>

#include <deque>
#include <random>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "engine/balancer.h"
#include "engine/rank.h"
#include "engine/server_model.h"

namespace berth::engine {
namespace {

class SimpleServer final : public ServerModel {
 public:
  explicit SimpleServer(const ServerSpec& spec)
      : spec_(spec),
        processes_(spec.api_processes == 0 ? spec.ranks : spec.api_processes),
        balancer_(make_balancer(spec.balancer, spec.ranks, processes_)),
        random_(spec.seed) {
    for (std::uint32_t rank = 0; rank < spec.ranks; ++rank) ranks_.emplace_back(spec);
  }

  Result<std::uint32_t> submit(EngineRequest request, Instant now) override;
  void abort(RequestId id, Instant now) override;
  std::optional<Instant> next_event() const override;
  void advance(Instant now, std::vector<Event>& out) override;
  RankStats rank_stats(std::uint32_t rank) const override;
  const ServerSpec& spec() const override { return spec_; }

 private:
  struct Place {
    std::uint32_t rank = 0;
    std::uint32_t process = 0;
  };

  Result<void> check(const EngineRequest& request) const;
  void observe(Instant now);
  void ended(RequestId id);
  // The rank whose step ends first.
  std::optional<std::size_t> first_to_end() const;

  ServerSpec spec_;
  std::uint32_t processes_;
  std::deque<Rank> ranks_;  // a Rank does not move
  std::unique_ptr<RankBalancer> balancer_;
  std::mt19937_64 random_;
  std::unordered_map<RequestId, Place> places_;
  Instant now_ = Instant::min();
};

Result<void> SimpleServer::check(const EngineRequest& request) const {
  BERTH_CHECK(!places_.contains(request.id));
  if (request.prompt_tokens == 0) return fail(ErrorCode::kBadRequest, "The prompt is empty.");
  if (request.rank && *request.rank >= spec_.ranks) {
    return fail(
        ErrorCode::kBadRequest,
        fmt::format("data_parallel_rank {} is out of range [0, {}).", *request.rank, spec_.ranks));
  }
  if (!ranks_.front().can_hold(request.prompt_tokens, request.output_tokens)) {
    return fail(ErrorCode::kBadRequest,
                fmt::format("The prompt of {} tokens and {} output tokens do not fit the KV cache "
                            "of {} tokens.",
                            request.prompt_tokens, request.output_tokens, spec_.kv_tokens));
  }
  return {};
}

Result<std::uint32_t> SimpleServer::submit(EngineRequest request, Instant now) {
  const std::optional<Instant> due = next_event();
  BERTH_CHECK(!due || *due >= now);
  if (const Result<void> checked = check(request); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  observe(now);
  Place place;
  place.process = request.api_process ? *request.api_process % processes_
                                      : static_cast<std::uint32_t>(random_() % processes_);
  place.rank = request.rank ? *request.rank : balancer_->choose(place.process);
  balancer_->started(place.process, place.rank);
  places_.emplace(request.id, place);
  Rank& rank = ranks_[place.rank];
  rank.enqueue(std::move(request));
  rank.start_step(now);
  return place.rank;
}

void SimpleServer::abort(RequestId id, Instant now) {
  const auto place = places_.find(id);
  if (place == places_.end()) return;
  observe(now);
  BERTH_CHECK(ranks_[place->second.rank].abort(id));
  ended(id);
}

std::optional<Instant> SimpleServer::next_event() const {
  const std::optional<std::size_t> first = first_to_end();
  return first ? ranks_[*first].step_end() : std::nullopt;
}

std::optional<std::size_t> SimpleServer::first_to_end() const {
  std::optional<std::size_t> first;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::optional<Instant> end = ranks_[rank].step_end();
    if (end && (!first || *end < *ranks_[*first].step_end())) first = rank;
  }
  return first;
}

void SimpleServer::advance(Instant now, std::vector<Event>& events) {
  while (const std::optional<std::size_t> first = first_to_end()) {
    Rank& rank = ranks_[*first];
    const Instant at = *rank.step_end();
    if (at > now) break;
    observe(at);
    const std::size_t before = events.size();
    rank.finish_step(events);
    for (std::size_t i = before; i < events.size(); ++i) {
      events[i].rank = static_cast<std::uint32_t>(*first);
      if (events[i].kind == EventKind::kFinished) ended(events[i].id);
    }
    rank.start_step(at);
  }
  observe(now);
}

void SimpleServer::observe(Instant now) {
  BERTH_CHECK(now >= now_);
  now_ = now;
  std::vector<RankLoad> loads;
  loads.reserve(ranks_.size());
  for (const Rank& rank : ranks_) loads.push_back(rank.load());
  balancer_->observe(loads, now);
}

void SimpleServer::ended(RequestId id) {
  const auto place = places_.find(id);
  balancer_->ended(place->second.process, place->second.rank);
  places_.erase(place);
}

RankStats SimpleServer::rank_stats(std::uint32_t rank) const { return ranks_[rank].stats(); }

}  // namespace

std::vector<RankStats> ServerModel::stats() const {
  std::vector<RankStats> all;
  for (std::uint32_t rank = 0; rank < spec().ranks; ++rank) all.push_back(rank_stats(rank));
  return all;
}

std::uint64_t gpu_blocks(const ServerSpec& spec) { return spec.kv_tokens / spec.block_size; }

std::uint64_t max_request_tokens(const ServerSpec& spec) {
  return (gpu_blocks(spec) - 1) * spec.block_size;
}

Result<void> check_spec(const ServerSpec& spec) {
  const auto bad = [](std::string message) { return fail(ErrorCode::kConfig, std::move(message)); };
  if (spec.ranks == 0 || spec.ranks > 4096) return bad("data-parallel-size must be 1 to 4096");
  if (spec.block_size == 0) return bad("block-size must be at least 1");
  if (spec.kv_tokens / spec.block_size < 2) {
    return bad(fmt::format("kv-tokens must be at least two blocks of {} tokens", spec.block_size));
  }
  if (spec.max_num_seqs == 0) return bad("max-num-seqs must be at least 1");
  if (spec.max_num_batched_tokens < spec.max_num_seqs) {
    return bad("max-num-batched-tokens must be at least max-num-seqs");
  }
  if (spec.api_processes > 4096) return bad("api-server-count must be at most 4096");
  const StepTime& step = spec.step;
  for (const double seconds : {step.base, step.prefill_token, step.decode_seq,
                               step.decode_context_token, step.attention}) {
    if (!(seconds >= 0 && seconds < 1e3)) return bad("a step time constant is out of range");
  }
  if (step.base <= 0) return bad("the step time's base must be above 0");
  return {};
}

std::unique_ptr<ServerModel> make_server(const ServerSpec& spec,
                                         std::shared_ptr<KvOracle> /*oracle*/) {
  BERTH_CHECK(check_spec(spec).has_value());
  return std::make_unique<SimpleServer>(spec);
}

}  // namespace berth::engine
