// One routing policy in the simulated world: what it is asked, what it answers, what it is told.
//
// A policy is a state machine: no I/O, no threads, no clock, and no randomness but from the seed it
// was made with. Equal calls give equal answers, so a run is the same to the last byte for a seed.
// One policy object serves one run, on one thread, and owns nothing outside itself.
//
// The world calls, in the order of virtual time and always with times that do not go back:
//   on_request        once for every request that reaches the gateway
//   on_first_byte, then on_finished; or on_gone     once each for every request that was sent
//   on_scrape         every scrape interval, for every replica that answers
//   on_replica        a replica was lost, came back cold, or was added
//   on_tick           at the instants next_tick() asks for
// After every call but next_tick it collects take_released(): held requests that may go now.
//
// How to add one: a file policy_NAME.cc with a `std::unique_ptr<Policy> make_NAME(const
// PolicyContext&)`, declared in policies.h, and a line in policies.cc. A rival's header says where
// its rule and its constants were read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "routing/types.h"

namespace berth::sim {

// Unique in a run and never used again.
using RequestNumber = std::uint64_t;
using ConversationNumber = std::uint64_t;

// Chained hashes of full KV blocks, as the engine compares them: equal hash, equal text from the
// first token on. Shared, because a conversation's next turn extends the same list.
using BlockList = std::shared_ptr<const std::vector<std::uint64_t>>;

// The fleet at the start. Replicas that events add later come through Policy::on_added.
struct PolicyContext {
  // By ReplicaIndex. Capacities are the engine's: what `vllm:cache_config_info` would tell.
  std::vector<routing::ReplicaSpec> replicas;
  std::uint32_t max_num_seqs = 32;  // of one replica
  std::uint32_t block_size = 16;    // tokens
  // Tokens every conversation begins with (system prompt and tools). For rivals whose authors let
  // the operator configure it; 0 where the workload has none.
  std::uint32_t shared_prompt_tokens = 0;
  std::uint64_t seed = 1;
};

// What a gateway can know of a request when it arrives.
struct PolicyRequest {
  RequestNumber id = 0;
  // Identity, kind, parent and size, as serve hands them to routing. Traffic without a session has
  // no conversation in here.
  routing::RequestFacts facts;
  // The same identity as a number, for tables; of a subagent its own, with the parent's beside it.
  // Absent for traffic without a session.
  std::optional<ConversationNumber> conversation;
  std::optional<ConversationNumber> parent;
  std::uint32_t prompt_tokens = 0;
  // Hashes of the prompt's full blocks come first (prompt_tokens / block_size of them); what may
  // follow belongs to the answer and is not the policy's to look at.
  BlockList blocks;
  // When the client first sent it. A retry keeps the time of its first try.
  Instant sent_at{};
};

// Go there. A target without a rank leaves the choice to the server's own balancer.
struct Send {
  routing::Target target;
};
// Wait at the gateway until take_released() names the request.
struct Hold {};
// Answered with an error: no replica can take it.
struct Refuse {};
using Answer = std::variant<Send, Hold, Refuse>;

struct Release {
  RequestNumber id = 0;
  Send to;
};

class Policy {
 public:
  virtual ~Policy() = default;

  virtual Answer on_request(const PolicyRequest& request, Instant now) = 0;
  // The server it was sent to refused the connection (it is down and nobody knew yet), so it was
  // provably not started: where to try next. Refuse is what a gateway does that never retries.
  virtual Answer on_not_started(RequestNumber, Instant /*now*/) { return Refuse{}; }
  // The first byte of the answer passed the gateway. `replica` is the one that serves it, also
  // where the server's balancer chose it.
  virtual void on_first_byte(RequestNumber, Instant /*now*/) {}
  virtual void on_finished(RequestNumber, const routing::Usage&, Instant /*now*/) {}
  // The client left (held or sent), or the replica died under it.
  virtual void on_gone(RequestNumber, Instant /*now*/) {}
  // The conversation will send nothing more. Real clients do not say so: only for rivals that need
  // their clients' end signal, and their description in the list says it.
  virtual void on_conversation_end(ConversationNumber, Instant /*now*/) {}

  virtual void on_scrape(routing::ReplicaIndex, const routing::ReplicaStats&, Instant /*now*/) {}
  virtual void on_replica(routing::ReplicaIndex, routing::ReplicaState, Instant /*now*/) {}
  // Its index is the next one.
  virtual void on_added(const routing::ReplicaSpec&, Instant /*now*/) {}

  // When on_tick is due next; absent: never, until another event.
  virtual std::optional<Instant> next_tick() const { return std::nullopt; }
  virtual void on_tick(Instant /*now*/) {}

  // Appends the held requests that may go now, in their order.
  virtual void take_released(std::vector<Release>& /*out*/) {}

  // What it counted itself, for --explain: a line each, in plain words.
  virtual std::vector<std::string> notes(Instant /*now*/) const { return {}; }
};

}  // namespace berth::sim
