// What the router tells of itself: explain and snapshot.
#include "routing/router_state.h"

namespace berth::routing {

std::vector<Explanation> ModelRouter::explain(std::string_view session, Instant /*now*/) const {
  std::vector<Explanation> all;
  for (const Binding* binding : impl_->bindings.of_session(session)) {
    Explanation one;
    one.key = binding->key.unpack();
    one.identity = binding->identity;
    one.home = binding->home;
    if (binding->stand_in != kNoReplica) one.stand_in = binding->stand_in;
    one.bound_at = binding->bound_at;
    one.last_used = binding->last_used;
    one.turns = binding->turns;
    one.tokens = binding->tokens;
    one.tokens_exact = binding->tokens_exact;
    one.last_usage = impl_->history.last_usage(binding->id());
    one.history = impl_->history.decisions(binding->id());
    all.push_back(std::move(one));
  }
  return all;
}

std::optional<std::string> ModelRouter::session_of_hash(std::uint64_t hash) const {
  const Binding* binding = impl_->bindings.find_by_hash(hash);
  if (binding == nullptr) return std::nullopt;
  return std::string(binding->key.session());
}

RouterSnapshot ModelRouter::snapshot(Instant /*now*/) const {
  RouterSnapshot out;
  out.settings = impl_->settings;
  out.threshold = impl_->threshold;
  out.outcomes = impl_->outcomes;
  out.unranked = impl_->unranked;
  out.unranked_in_flight = impl_->unranked_in_flight;
  out.rank_blind = impl_->rank_blind;
  out.bindings = impl_->bindings.size();
  out.retired = impl_->retired;
  for (const Replica& replica : impl_->replicas.all()) {
    out.replicas.push_back({replica.index, replica.spec, replica.state, replica.state_since,
                            replica.stats, replica.scraped_at.has_value(),
                            impl_->replicas.view(replica.index), replica.counters, replica.bound,
                            replica.removed});
  }
  return out;
}

}  // namespace berth::routing
