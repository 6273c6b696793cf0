// Routing for one model: a state machine. Events in, decisions out, time passed in.
//
// Owner and threads: one ModelRouter per model, not thread safe; the gateway guards it with one
// mutex, the simulator calls it from its only thread. No call blocks, allocates without bound or
// touches I/O.
//
// Every on_request that answers Dispatch opens a ticket that must be closed exactly once, by
// on_finished, on_gone or on_unsent. In-flight counts are derived from open tickets and so
// return to zero when all are closed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "routing/decision_record.h"
#include "routing/identity.h"
#include "routing/replica_counters.h"
#include "routing/settings.h"
#include "routing/threshold.h"
#include "routing/types.h"

namespace berth::routing {

// How a request ended, for on_finished.
struct Finish {
  int status = 0;  // HTTP status that went to the client
  Usage usage;
  bool complete = true;  // false: the stream broke
};

// A replica of the model, or a removed one that something still refers to.
struct ReplicaSnapshot {
  ReplicaIndex index = 0;
  ReplicaSpec spec;
  ReplicaState state = ReplicaState::kUp;
  Instant state_since{};
  ReplicaStats stats;
  bool scraped = false;  // otherwise stats are not known
  ReplicaView view;
  ReplicaCounters counters;
  std::uint64_t bound = 0;  // bindings, resident or not
  bool removed = false;
};

struct RouterSnapshot {
  Settings settings;
  Threshold threshold;
  std::vector<ReplicaSnapshot> replicas;
  // Of all ended requests, also those without a replica: they add up to the requests.
  OutcomeCounts outcomes{};
  // Of the requests sent to a server without a rank; on no replica's account.
  ReplicaCounters unranked;
  std::uint32_t unranked_in_flight = 0;
  ReplicaCounters retired;  // of the replicas that were removed and forgotten
  std::uint64_t bindings = 0;
  std::uint64_t rank_blind = 0;  // requests unbound because their endpoint ignores the rank header
};

struct Explanation {
  ConversationKey key;
  IdentitySource identity = IdentitySource::kNone;
  ReplicaIndex home = 0;
  std::optional<ReplicaIndex> stand_in;  // serves it while home is down
  Instant bound_at{};
  Instant last_used{};
  std::uint64_t turns = 0;
  std::uint64_t tokens = 0;  // of its context, exact or estimated
  bool tokens_exact = false;
  Usage last_usage;
  std::vector<DecisionRecord> history;  // oldest first, bounded
};

// A binding as it is written to the state directory. Instants are not portable: `idle` is the age
// at export.
struct SavedBinding {
  ConversationKey key;
  ConversationHashes hashes;  // not written: whoever reads the file makes them again
  IdentitySource identity = IdentitySource::kNone;
  std::string replica_label;
  Duration idle{};
  Duration kept{};  // from when it got that home to its last use
  std::uint64_t tokens = 0;
  std::uint64_t turns = 0;
  std::optional<ChainHash> chain_end;
};

// The parts, each with its policy in its own header: identity.h and chain_index.h (whose turn),
// sticky.h (where it goes), placement.h, near_parent.h, slow_start.h, leaving_home.h, failover.h;
// session_hash.h, round_robin.h and least_loaded.h for comparison. This class only passes events to
// them and keeps the accounts.
//
// Costs: on_request O(replicas), identify_by_content O(chain length), on_tick at most a few
// thousand steps, everything else O(log bindings) or less; explain O(conversations of the session);
// export, import and snapshot are linear. A binding takes some 430 bytes with its key, so 200,000
// take about 86 MB.
//
// Deterministic: equal settings, seed and calls give equal answers.
class ModelRouter {
 public:
  // `seed` keys the hash tables and starts the rotations that must differ between gateways; it
  // decides no home.
  ModelRouter(Settings settings, std::uint64_t seed);
  ~ModelRouter();
  ModelRouter(const ModelRouter&) = delete;
  ModelRouter& operator=(const ModelRouter&) = delete;

  // The fleet. A replica starts kUp; one added after the first request, or back from down, starts
  // slowly (Settings::slow_start). A label that was removed and comes back keeps its conversations,
  // and its index where it can.
  ReplicaIndex add_replica(ReplicaSpec spec, Instant now);
  // No new request goes there; open tickets live on; its bindings are re-homed on their next turn.
  void remove_replica(ReplicaIndex replica, Instant now);
  // Forgets a removed replica once no open ticket and no binding refers to it; until then answers
  // false. What it counted goes on in RouterSnapshot::retired. Its index is never given again.
  bool retire_replica(ReplicaIndex replica);
  void on_replica_state(ReplicaIndex replica, ReplicaState state, Instant now);
  // Its engine was restarted, perhaps too fast for its state to change: the cache is empty. Its
  // conversations keep it as home, as they would be cold anywhere else, too; but nothing is
  // resident there until it is served again, and new ones come slowly (Settings::slow_start).
  void on_restarted(ReplicaIndex replica, Instant now);
  // The engine's KV cache size became known or changed.
  void on_capacity(ReplicaIndex replica, std::uint64_t kv_capacity_tokens);
  void on_scrape(ReplicaIndex replica, const ReplicaStats& stats, Instant now);
  // What the last scrape showed is old: nothing is decided by it any more.
  void on_scrape_lost(ReplicaIndex replica);
  // Bindings and open tickets are untouched; a smaller table shrinks over the next ticks.
  void on_config(const Settings& settings, Instant now);
  // Requests in flight on a server, with and without a rank.
  std::uint32_t in_flight_on_server(std::uint32_t server) const;
  // Those sent to this replica by name.
  std::uint32_t in_flight(ReplicaIndex replica) const;

  // Looks the chain of a request's history up and completes its facts (chain_index.h). A request
  // that named no conversation gets one: a continued history its old key, a diverging one a new key
  // with the old one as parent. One that did name its conversation gets a parent when it is new and
  // its history begins as a copy of another's. Side requests teach the index nothing. No effect on
  // an empty chain.
  void identify_by_content(RequestFacts& facts, const std::vector<ChainHash>& chain,
                           std::string_view tenant, std::string_view model, Instant now);

  // Dispatch opens a ticket. Refused (no replica can take it) ends the request: it is counted
  // already.
  Decision on_request(const RequestFacts& facts, Instant now);
  // The replica provably did not start the request. Answers where to try next, under the same
  // ticket, or Refused: then the ticket is closed and the request counted. At most one retry a
  // ticket: a second call answers Refused. A placed conversation gets the second replica as its
  // home; one that went home is served there once more as failover and returns by the rule of
  // failover.h.
  Decision on_not_started(Ticket ticket, Instant now);
  // These calls ignore a ticket that is not open, so closing twice does no harm.
  // The engine has read the prompt: it is in the replica's cache from here on.
  void on_first_byte(Ticket ticket, Instant now);
  void on_finished(Ticket ticket, const Finish& finish, Instant now);
  // The client left after the request was sent. It counts with the outcome it was dispatched with.
  void on_gone(Ticket ticket, Instant now);
  // The request was not sent after all: as if it had not been dispatched, but for being counted.
  // kAbandoned: the client left; kRefused: Berth could not send it, which says nothing of the
  // replica.
  void on_unsent(Ticket ticket, Outcome outcome, Instant now);
  // A request that never reached on_request: kRefused (bad body, no key, ...) or kAbandoned.
  void count_without_dispatch(Outcome outcome);
  // Expires bindings. Call about once a second.
  void on_tick(Instant now);

  // Why the conversations of a session are where they are: the main one first.
  std::vector<Explanation> explain(std::string_view session, Instant now) const;
  // The session of a bound conversation one of whose ConversationHashes that is. Should two share a
  // hash of 64 bits, any of them.
  std::optional<std::string> session_of_hash(std::uint64_t hash) const;
  // A part of the bindings, for callers that must not hold up requests while all are copied: start
  // at 0 and go on with what it answers, until that is 0 again. A binding that is there all the
  // while is seen once.
  std::size_t export_part(std::size_t position, std::vector<SavedBinding>& out, Instant now) const;
  // All bindings, in no order: some 100 ms for 200,000.
  std::vector<SavedBinding> export_bindings(Instant now) const;
  // Call again after replicas were discovered: ignores bindings whose replica is not here, that are
  // bound already, or idle for too long; of too many it takes the most recently used. Returns how
  // many were taken.
  std::size_t import_bindings(const std::vector<SavedBinding>& saved, Instant now);
  // True if there was a binding. Its open requests go on and bind nothing.
  bool forget(const ConversationKey& key);
  RouterSnapshot snapshot(Instant now) const;
  const Settings& settings() const;
  std::size_t bindings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::routing
