#include "gateway/advice.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::gateway {

namespace {

using observe::ReplicaStatus;
using routing::Outcome;
using routing::ReplicaState;

std::vector<const ReplicaStatus*> present(const observe::ModelStatus& model) {
  std::vector<const ReplicaStatus*> out;
  for (const ReplicaStatus& replica : model.replicas) {
    if (!replica.routing.removed) out.push_back(&replica);
  }
  return out;
}

void advise_states(const std::vector<const ReplicaStatus*>& replicas,
                   std::vector<std::string>& out) {
  if (replicas.empty()) {
    out.emplace_back("no replica has been found yet: requests are answered 503");
    return;
  }
  std::size_t usable = 0;
  for (const ReplicaStatus* replica : replicas) {
    const ReplicaState state = replica->routing.state;
    if (state == ReplicaState::kUp || state == ReplicaState::kSuspect) ++usable;
    if (state == ReplicaState::kDown) {
      const std::string why = replica->why.empty() ? "" : fmt::format(" ({})", replica->why);
      out.push_back(fmt::format("replica {} is down{}: its conversations are served elsewhere",
                                replica->routing.spec.label, why));
    } else if (state == ReplicaState::kSuspect && !replica->why.empty()) {
      out.push_back(fmt::format("replica {} gets no new conversations: {}",
                                replica->routing.spec.label, replica->why));
    }
  }
  if (usable == 0) out.emplace_back("no replica can take requests");
}

// Residents should be even within a small margin; three times as many on one replica is worth a
// sentence. One that is drained, down or suspect is meant to have fewer.
void advise_balance(const std::vector<const ReplicaStatus*>& all, std::vector<std::string>& out) {
  std::vector<const ReplicaStatus*> replicas;
  for (const ReplicaStatus* replica : all) {
    if (replica->routing.state == ReplicaState::kUp) replicas.push_back(replica);
  }
  if (replicas.size() < 2) return;
  const auto less = [](const ReplicaStatus* a, const ReplicaStatus* b) {
    return a->routing.view.resident < b->routing.view.resident;
  };
  const auto [low, high] = std::minmax_element(replicas.begin(), replicas.end(), less);
  const std::uint32_t most = (*high)->routing.view.resident;
  const std::uint32_t least = (*low)->routing.view.resident;
  constexpr std::uint32_t kFactor = 3;
  constexpr std::uint32_t kWorthSaying = 6;
  if (most >= kWorthSaying && most >= kFactor * std::max<std::uint32_t>(least, 1)) {
    out.push_back(fmt::format("replica {} holds {} conversations, replica {} only {}",
                              (*high)->routing.spec.label, most, (*low)->routing.spec.label,
                              least));
  }
}

// /v1/responses ignores the rank header, so on ranks those conversations cannot have a home.
void advise_ranks(const observe::ModelStatus& model,
                  const std::vector<const ReplicaStatus*>& replicas,
                  std::vector<std::string>& out) {
  const bool on_ranks = std::any_of(
      replicas.begin(), replicas.end(),
      [](const ReplicaStatus* replica) { return replica->routing.spec.target.rank.has_value(); });
  if (!on_ranks || model.rank_blind == 0) return;
  out.push_back(fmt::format(
      "{} requests came on endpoints where vLLM ignores the rank header (/v1/responses): they "
      "cannot stay on a "
      "replica; run one vLLM server a GPU instead of --data-parallel-size for such clients",
      model.rank_blind));
}

void advise_measuring(const std::vector<const ReplicaStatus*>& replicas,
                      std::vector<std::string>& out) {
  std::uint64_t finished = 0;
  std::uint64_t unmeasured = 0;
  for (const ReplicaStatus* replica : replicas) {
    finished += replica->routing.counters.requests;
    unmeasured += replica->routing.counters.unmeasured;
  }
  constexpr std::uint64_t kEnough = 20;
  if (finished >= kEnough && unmeasured * 2 > finished) {
    out.emplace_back(
        "most responses carry no cached-token count: start vLLM with "
        "--enable-prompt-tokens-details to see what the cache delivers");
  }
}

}  // namespace

std::vector<std::string> advice_for(const observe::ModelStatus& model) {
  std::vector<std::string> out;
  const auto replicas = present(model);
  advise_states(replicas, out);
  advise_balance(replicas, out);
  advise_ranks(model, replicas, out);
  advise_measuring(replicas, out);
  return out;
}

}  // namespace berth::gateway
