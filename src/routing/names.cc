// The spellings of the closed sets of routing, as logs, metrics, JSON and configuration use them.
#include <array>
#include <utility>

#include "routing/settings.h"
#include "routing/types.h"

namespace berth::routing {
namespace {

constexpr std::array<std::pair<IdentitySource, std::string_view>, 11> kIdentitySources{{
    {IdentitySource::kNone, "none"},
    {IdentitySource::kOperatorHeader, "operator-header"},
    {IdentitySource::kClaudeCode, "claude-code"},
    {IdentitySource::kCodexThread, "codex-thread"},
    {IdentitySource::kCodexSession, "codex-session"},
    {IdentitySource::kSessionAffinity, "session-affinity"},
    {IdentitySource::kSessionId, "session-id"},
    {IdentitySource::kAgentSessionId, "agent-session-id"},
    {IdentitySource::kPromptCacheKey, "prompt-cache-key"},
    {IdentitySource::kMetadataUserId, "metadata-user-id"},
    {IdentitySource::kContent, "content"},
}};

constexpr std::array<std::pair<Policy, std::string_view>, 4> kPolicies{{
    {Policy::kSticky, "sticky"},
    {Policy::kSessionHash, "session-hash"},
    {Policy::kRoundRobin, "round-robin"},
    {Policy::kLeastLoaded, "least-loaded"},
}};

template <typename Table, typename Value>
std::string_view name_in(const Table& table, Value value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) return name;
  }
  return "unknown";
}

template <typename Value, std::size_t kSize>
std::optional<Value> value_in(const std::array<std::pair<Value, std::string_view>, kSize>& table,
                              std::string_view name) {
  for (const auto& [entry, entry_name] : table) {
    if (entry_name == name) return entry;
  }
  return std::nullopt;
}

}  // namespace

std::string_view identity_source_name(IdentitySource source) {
  return name_in(kIdentitySources, source);
}

std::optional<IdentitySource> identity_source_from_name(std::string_view name) {
  const auto source = value_in(kIdentitySources, name);
  if (source == IdentitySource::kNone) return std::nullopt;
  return source;
}

std::string_view policy_name(Policy policy) { return name_in(kPolicies, policy); }

std::optional<Policy> policy_from_name(std::string_view name) { return value_in(kPolicies, name); }

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPlaced:
      return "placed";
    case Outcome::kSticky:
      return "sticky";
    case Outcome::kOverflow:
      return "overflow";
    case Outcome::kMoved:
      return "moved";
    case Outcome::kFailover:
      return "failover";
    case Outcome::kUnbound:
      return "unbound";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kAbandoned:
      return "abandoned";
  }
  return "unknown";
}

std::string_view reason_name(Reason reason) {
  switch (reason) {
    case Reason::kNewConversation:
      return "new-conversation";
    case Reason::kNearParent:
      return "near-parent";
    case Reason::kHome:
      return "home";
    case Reason::kHomeBusyNoBetter:
      return "home-busy-no-better";
    case Reason::kHomeBusy:
      return "home-busy";
    case Reason::kHomeStaysBusy:
      return "home-stays-busy";
    case Reason::kHomeDown:
      return "home-down";
    case Reason::kHomeDraining:
      return "home-draining";
    case Reason::kHomeBack:
      return "home-back";
    case Reason::kSideRequest:
      return "side-request";
    case Reason::kAffinityOff:
      return "affinity-off";
    case Reason::kNoIdentity:
      return "no-identity";
    case Reason::kRankBlind:
      return "rank-blind";
    case Reason::kPolicy:
      return "policy";
    case Reason::kTableFull:
      return "table-full";
    case Reason::kRetried:
      return "retried";
  }
  return "unknown";
}

std::string_view replica_state_name(ReplicaState state) {
  switch (state) {
    case ReplicaState::kUp:
      return "up";
    case ReplicaState::kSuspect:
      return "suspect";
    case ReplicaState::kDown:
      return "down";
    case ReplicaState::kDraining:
      return "draining";
  }
  return "unknown";
}

}  // namespace berth::routing
