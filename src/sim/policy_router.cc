// The policies that `berth serve` has: routing::ModelRouter, driven by the calls the gateway makes.
//
// The settings are serve's defaults with the fleet's max_num_seqs, as `--max-num-seqs` would tell
// it.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "routing/router.h"
#include "sim/policies.h"

namespace berth::sim {
namespace {

constexpr Duration kTickEvery = std::chrono::seconds(1);

class RouterPolicy final : public Policy {
 public:
  RouterPolicy(const PolicyContext& context, const routing::Settings& settings)
      : router_(settings, context.seed) {
    for (const routing::ReplicaSpec& spec : context.replicas) {
      router_.add_replica(spec, Instant{});
    }
  }

  Answer on_request(const PolicyRequest& request, Instant now) override {
    return answer(request.id, router_.on_request(request.facts, now));
  }
  Answer on_not_started(RequestNumber id, Instant now) override {
    const auto open = tickets_.find(id);
    if (open == tickets_.end()) return Refuse{};
    const routing::Ticket ticket = open->second;
    tickets_.erase(open);
    return answer(id, router_.on_not_started(ticket, now));
  }
  void on_first_byte(RequestNumber id, Instant now) override {
    if (const auto open = tickets_.find(id); open != tickets_.end()) {
      router_.on_first_byte(open->second, now);
    }
  }
  void on_finished(RequestNumber id, const routing::Usage& usage, Instant now) override {
    constexpr int kOk = 200;
    close(id,
          [&](routing::Ticket ticket) { router_.on_finished(ticket, {kOk, usage, true}, now); });
  }
  // The stream broke: what the gateway reports when a replica dies under a request.
  void on_gone(RequestNumber id, Instant now) override {
    constexpr int kBadGateway = 502;
    close(id, [&](routing::Ticket ticket) {
      router_.on_finished(ticket, {kBadGateway, {}, false}, now);
    });
  }
  void on_scrape(routing::ReplicaIndex replica, const routing::ReplicaStats& stats,
                 Instant now) override {
    router_.on_scrape(replica, stats, now);
  }
  void on_replica(routing::ReplicaIndex replica, routing::ReplicaState state,
                  Instant now) override {
    router_.on_replica_state(replica, state, now);
    // The gateway sees a restart by the start time in the server's metrics.
    if (state == routing::ReplicaState::kUp) router_.on_restarted(replica, now);
  }
  void on_added(const routing::ReplicaSpec& spec, Instant now) override {
    router_.add_replica(spec, now);
  }
  std::optional<Instant> next_tick() const override { return next_tick_; }
  void on_tick(Instant now) override {
    router_.on_tick(now);
    next_tick_ = now + kTickEvery;
  }

  std::vector<std::string> notes(Instant now) const override {
    const routing::RouterSnapshot seen = router_.snapshot(now);
    std::string line = "requests since the start by outcome:";
    for (std::size_t i = 0; i < routing::kOutcomeCount; ++i) {
      if (seen.outcomes.at(i) == 0) continue;
      line += fmt::format(" {} {}", routing::outcome_name(static_cast<routing::Outcome>(i)),
                          seen.outcomes.at(i));
    }
    return {line, fmt::format("overflow threshold: {} requests in flight", seen.threshold.value)};
  }

 private:
  Answer answer(RequestNumber id, const routing::Decision& decision) {
    const auto* dispatch = std::get_if<routing::Dispatch>(&decision);
    if (dispatch == nullptr) return Refuse{};
    tickets_[id] = dispatch->ticket;
    return Send{dispatch->target};
  }
  template <typename F>
  void close(RequestNumber id, F&& how) {
    const auto open = tickets_.find(id);
    if (open == tickets_.end()) return;
    how(open->second);
    tickets_.erase(open);
  }

  routing::ModelRouter router_;
  std::unordered_map<RequestNumber, routing::Ticket> tickets_;
  std::optional<Instant> next_tick_ = Instant{};
};

std::unique_ptr<Policy> make(const PolicyContext& context, routing::Policy policy, bool affinity) {
  routing::Settings settings;
  settings.policy = policy;
  settings.affinity = affinity;
  settings.max_num_seqs = context.max_num_seqs;
  return std::make_unique<RouterPolicy>(context, settings);
}

}  // namespace

std::unique_ptr<Policy> make_on(const PolicyContext& context) {
  return make(context, routing::Policy::kSticky, true);
}
std::unique_ptr<Policy> make_off(const PolicyContext& context) {
  return make(context, routing::Policy::kSticky, false);
}
std::unique_ptr<Policy> make_session_hash(const PolicyContext& context) {
  return make(context, routing::Policy::kSessionHash, true);
}
std::unique_ptr<Policy> make_round_robin(const PolicyContext& context) {
  return make(context, routing::Policy::kRoundRobin, true);
}
std::unique_ptr<Policy> make_least_loaded(const PolicyContext& context) {
  return make(context, routing::Policy::kLeastLoaded, true);
}

}  // namespace berth::sim
