// Routing for one model: a state machine. Events in, decisions out, time passed in.
//
// Owner and threads: one ModelRouter per model, not thread safe; the gateway guards it with one mutex, the
// simulator calls it from its only thread. No call blocks, allocates without bound or touches I/O.
//
// Every on_request that answers Dispatch opens a ticket that must be closed exactly once, by on_finished or
// on_gone. In-flight counts are derived from open tickets and so return to zero when all are closed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "routing/identity.h"
#include "routing/settings.h"
#include "routing/types.h"

namespace berth::routing {

// How a request ended, for on_finished.
struct Finish {
  int status = 0;     // HTTP status that went to the client
  Usage usage;
  bool complete = true;  // false: the stream broke
};

// Counters of one replica since the router was made; `outcomes` is indexed by Outcome.
struct ReplicaCounters {
  std::uint64_t requests = 0;
  std::array<std::uint64_t, kOutcomeCount> outcomes{};
  std::uint64_t prompt_tokens = 0;
  std::uint64_t cached_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t unmeasured = 0;   // finished requests whose engine told no cached count
  std::uint32_t in_flight_peak = 0;
};

struct ReplicaSnapshot {
  ReplicaIndex index = 0;
  ReplicaSpec spec;
  ReplicaState state = ReplicaState::kUp;
  Instant state_since{};
  ReplicaStats stats;
  ReplicaView view;
  ReplicaCounters counters;
  std::uint64_t bound = 0;  // bindings, resident or not
  bool removed = false;
};

struct Threshold {
  std::uint32_t value = 8;
  bool automatic = true;
  bool assumed = true;  // max_num_seqs was not told
  std::string text() const;  // "8 (auto, assumed)"
};

struct RouterSnapshot {
  Settings settings;
  Threshold threshold;
  std::vector<ReplicaSnapshot> replicas;
  std::array<std::uint64_t, kOutcomeCount> outcomes{};  // of all requests, also those without a replica
  std::uint64_t bindings = 0;
  std::uint64_t rank_blind = 0;  // requests unbound because their endpoint ignores the rank header
};

// One decision in a conversation's history.
struct DecisionRecord {
  Instant at{};
  Outcome outcome = Outcome::kUnbound;
  Reason reason = Reason::kNoIdentity;
  std::optional<ReplicaIndex> replica;
  std::vector<ReplicaView> seen;  // the replicas looked at, at most kMaxSeen
  static constexpr std::size_t kMaxSeen = 16;
};

struct Explanation {
  ConversationKey key;
  IdentitySource identity = IdentitySource::kNone;
  ReplicaIndex home = 0;
  Instant bound_at{};
  Instant last_used{};
  std::uint64_t turns = 0;
  std::uint64_t tokens = 0;     // of its context, exact or estimated
  bool tokens_exact = false;
  Usage last_usage;
  std::vector<DecisionRecord> history;  // oldest first, bounded
};

// A binding as it is written to the state directory. Instants are not portable: `idle` is the age at export.
struct SavedBinding {
  ConversationKey key;
  IdentitySource identity = IdentitySource::kNone;
  std::string replica_label;
  Duration idle{};
  std::uint64_t tokens = 0;
  std::uint64_t turns = 0;
  std::optional<ChainHash> chain_end;
};

class ModelRouter {
 public:
  // `seed` feeds tie-breaks that must differ between routers; equal seeds give equal decisions.
  ModelRouter(Settings settings, std::uint64_t seed);
  ~ModelRouter();
  ModelRouter(const ModelRouter&) = delete;
  ModelRouter& operator=(const ModelRouter&) = delete;

  // The fleet. A replica starts kUp; one added after the first request starts slowly (Settings::slow_start).
  ReplicaIndex add_replica(ReplicaSpec spec, Instant now);
  // No new request goes there; open tickets live on; its bindings are re-homed on their next turn.
  void remove_replica(ReplicaIndex replica, Instant now);
  void on_replica_state(ReplicaIndex replica, ReplicaState state, Instant now);
  void on_scrape(ReplicaIndex replica, const ReplicaStats& stats, Instant now);
  void on_config(const Settings& settings, Instant now);

  // Completes the conversation of a request that named none: the chain of its history is looked up, a
  // continued one gets its old key, a diverging one a new key with the old one as parent.
  void identify_by_content(RequestFacts& facts, const std::vector<ChainHash>& chain,
                           std::string_view tenant, std::string_view model, Instant now);

  Decision on_request(const RequestFacts& facts, Instant now);
  // The replica provably did not start the request. Answers where to try next, under the same ticket, or
  // Refused (the ticket is closed then). At most once per ticket.
  Decision on_not_started(Ticket ticket, Instant now);
  void on_first_byte(Ticket ticket, Instant now);
  void on_finished(Ticket ticket, const Finish& finish, Instant now);
  // The client left after dispatch.
  void on_gone(Ticket ticket, Instant now);
  // A request that never reached on_request: refused (bad body, no key, ...) or abandoned.
  void count_without_dispatch(Outcome outcome);
  // Expires bindings. Call about once a second.
  void on_tick(Instant now);

  std::vector<Explanation> explain(std::string_view session, Instant now) const;
  // Calls with each binding, in no order.
  std::vector<SavedBinding> export_bindings(Instant now) const;
  // Ignores bindings whose replica is not here. Returns how many were taken.
  std::size_t import_bindings(const std::vector<SavedBinding>& saved, Instant now);
  bool forget(const ConversationKey& key);
  RouterSnapshot snapshot(Instant now) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::routing
