// The nouns of routing: what a request looks like to a policy, and what a policy answers.
//
// Nothing here does I/O, reads a clock or owns a thread. All words are those of docs/words.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"

namespace berth::routing {

// Number of a replica in its model. Stable for the life of a ModelRouter and never given twice, so
// counters and bindings never point at another replica.
using ReplicaIndex = std::uint32_t;

// Where a request is sent. Without a rank the server's own balancer decides (affinity off on a
// data-parallel server, and endpoints that ignore the rank header).
struct Target {
  std::uint32_t server = 0;  // position of the server in the fleet
  std::optional<int> rank;
};

// The servers a request may go to, ascending; null: all of the model's. A name may be served by
// some of a model's servers only, as a LoRA adapter that was loaded on one of them.
using Servers = std::shared_ptr<const std::vector<std::uint32_t>>;
inline bool may_go_to(const Servers& servers, std::uint32_t server) {
  return servers == nullptr || std::binary_search(servers->begin(), servers->end(), server);
}

// One growing message history. Compared whole; `tenant` scopes every id, so one tenant can never
// reach another's binding by guessing its session id. `agent` is empty for the session's main
// conversation.
struct ConversationKey {
  std::string tenant;
  std::string model;  // served name or LoRA adapter, as the engine will see it
  std::string session;
  std::string agent;
  friend bool operator==(const ConversationKey&, const ConversationKey&) = default;
};

// How the caller shows a conversation where its ids must not appear (logs, pages): keyed hashes of
// the session id and of the whole key. Opaque here; a binding keeps them so that it can be found by
// either. 0: none.
struct ConversationHashes {
  std::uint64_t session = 0;
  std::uint64_t conversation = 0;
};

// How the conversation was recognised. The order of these is not the order of the search: that is a
// setting.
enum class IdentitySource : std::uint8_t {
  kNone,
  kOperatorHeader,
  kClaudeCode,
  kCodexThread,
  kCodexSession,
  kSessionAffinity,
  kSessionId,
  kAgentSessionId,
  kPromptCacheKey,
  kMetadataUserId,
  kContent,
};
std::string_view identity_source_name(IdentitySource source);
// None for an unknown name; "none" is not a source.
std::optional<IdentitySource> identity_source_from_name(std::string_view name);

// May this request bind or move its conversation?
enum class RequestKind : std::uint8_t {
  kTurn,        // a turn of a conversation
  kSide,        // title generation, probes, count_tokens: goes somewhere useful, binds nothing
  kUnbindable,  // nothing to hold on to: embeddings, tokenize, a rank-blind endpoint on ranks
};

// Exactly one per request.
enum class Outcome : std::uint8_t {
  kPlaced,     // first request of a conversation: a home was chosen
  kSticky,     // went home
  kOverflow,   // served once elsewhere, home kept
  kMoved,      // home changed
  kFailover,   // home was down
  kUnbound,    // nothing to bind
  kRefused,    // answered by Berth with an error
  kAbandoned,  // the client left before dispatch
};
inline constexpr std::size_t kOutcomeCount = 8;
std::string_view outcome_name(Outcome outcome);

// What a policy needs to know of one request.
struct RequestFacts {
  RequestKind kind = RequestKind::kTurn;
  std::optional<ConversationKey> conversation;  // none: nothing identified it
  ConversationHashes hashes;                    // of it
  std::optional<ConversationKey> parent;        // of a subagent or a fork
  IdentitySource identity = IdentitySource::kNone;
  // The conversation starts as a copy of its parent's history (a fork), so the parent's cache
  // serves it whole. A subagent has its own prompt and shares less.
  bool fork = false;
  // For kSide: served at the conversation's home if it has one (count_tokens), else by the least
  // loaded.
  bool prefer_home = false;
  // For kTurn: the client itself says that it is one (Identity::declared_turn).
  bool declared_turn = false;
  // Number of tools the request offers; absent when the body was not read. A request without tools
  // inside a conversation whose turns have them is a side request unless the client declared it a
  // turn: its prompt shares no prefix with the history, because chat templates render tools first.
  std::optional<std::uint32_t> tools;
  // True when the endpoint ignores the rank header (/v1/responses, embeddings, ...): on a server
  // with ranks such a request can only be `unbound`.
  bool rank_blind = false;
  std::uint64_t body_bytes = 0;
  Servers servers;  // those that serve the name it asks for
};

// Identifies one accepted request inside its ModelRouter from on_request until on_finished or
// on_gone.
using Ticket = std::uint64_t;

// Why the decision was made, in a closed set that docs/routing.md explains.
enum class Reason : std::uint8_t {
  kNewConversation,   // placed by load
  kNearParent,        // placed beside its parent
  kHome,              // home, within the threshold
  kHomeBusyNoBetter,  // home is past the threshold but no other replica has fewer in flight
  kHomeBusy,          // overflow
  kHomeStaysBusy,     // moved: the move pays
  kHomeDown,          // failover
  kHomeDraining,      // moved away from a draining replica
  kHomeBack,          // returned to the home it had before a failover
  kSideRequest,
  kAffinityOff,
  kNoIdentity,  // nothing to bind it to: no identity, or an endpoint without conversations
  kRankBlind,   // the endpoint ignores the rank header
  kPolicy,      // session-hash, round-robin, least-loaded
  kTableFull,   // only active bindings left: rendezvous hashing without a binding
  kRetried,     // the first replica provably did not start the request
};
inline constexpr std::size_t kReasonCount = static_cast<std::size_t>(Reason::kRetried) + 1;
std::string_view reason_name(Reason reason);

// The numbers one replica showed when a decision was made.
struct ReplicaView {
  ReplicaIndex replica = 0;
  std::uint32_t in_flight = 0;
  std::uint32_t unranked_share = 0;  // its part of the requests sent to its server without a rank
  std::uint32_t resident = 0;        // conversations bound there and used in the resident window
  std::uint64_t resident_tokens = 0;
  double kv_usage = 0;  // 0..1, 0 when unknown
  bool eligible = true;
};

struct Dispatch {
  Ticket ticket = 0;
  Target target;
  std::optional<ReplicaIndex> replica;  // none: the server's balancer decides
  Outcome outcome = Outcome::kUnbound;
  Reason reason = Reason::kNoIdentity;
};

struct Refused {
  int status = 503;
  std::uint32_t retry_after_s = 1;
  std::string why;  // plain English, for the client
};

using Decision = std::variant<Dispatch, Refused>;

// What the engine said about a finished request; each is absent when the engine did not tell.
struct Usage {
  std::optional<std::uint64_t> prompt_tokens;  // including the cached ones
  std::optional<std::uint64_t> cached_tokens;
  std::optional<std::uint64_t> output_tokens;
};

enum class ReplicaState : std::uint8_t { kUp, kSuspect, kDown, kDraining };
std::string_view replica_state_name(ReplicaState state);

// One scrape of a replica's engine.
struct ReplicaStats {
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
  double kv_usage = 0;  // 0..1
};

// A replica as the fleet knows it.
struct ReplicaSpec {
  Target target;
  std::string label;  // "gpu0:8000" or "gpu0:8000#2": stable, and what the rendezvous hash uses
  std::uint64_t kv_capacity_tokens = 0;  // 0: unknown
};

}  // namespace berth::routing
