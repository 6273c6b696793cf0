// One vLLM server as a state machine: N ranks, their caches and queues, the server's own balancer.
// Requests in, events out, time passed in; no I/O, threads or clock.
//
// `berth engine` and the simulator see only this header and what it includes. Not thread safe; time
// never goes backwards. The same calls with the same spec give the same events to the last bit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/block_hash.h"
#include "engine/kv_oracle.h"
#include "engine/server_spec.h"

namespace berth::engine {

using RequestId = std::uint64_t;

struct EngineRequest {
  RequestId id = 0;  // unique among unfinished requests
  std::uint32_t prompt_tokens = 0;
  // How many tokens will be generated. 0: a pooling request, over when its prompt is computed.
  std::uint32_t output_tokens = 1;
  // The limit the client set; 0: output_tokens. Where it is larger, the engine cannot foresee the
  // end, and asynchronous scheduling plans one decode too many.
  std::uint32_t max_tokens = 0;
  // Hashes of the full blocks of prompt followed by output (block_hash.h), in the spec's block
  // size. May be shorter, or null: blocks past its end are never hit by anybody. Entries past the
  // last full block are ignored.
  BlockHashes blocks;
  std::optional<std::uint32_t> rank;  // from the rank header
  // Which API process took the connection; absent: drawn from the seed.
  std::optional<std::uint32_t> api_process;
  // True: an event for every token. False: for the first token and the end only.
  bool every_token = false;
};

enum class EventKind : std::uint8_t { kToken, kFinished };
struct Event {
  EventKind kind = EventKind::kToken;
  std::uint32_t rank = 0;
  RequestId id = 0;
  Instant at{};             // the end of the step that made it
  std::uint32_t index = 0;  // kToken: of the token, from 0; kFinished: how many there were
  // Prompt tokens found in the cache at first scheduling, and when that was.
  std::uint32_t cached_tokens = 0;
  Instant scheduled_at{};
  // So far: how often the request was preempted, and tokens computed again because of it.
  std::uint32_t preemptions = 0;
  std::uint32_t recomputed_tokens = 0;
};

// Counters and gauges of one rank. All counters are since the start.
struct RankStats {
  // As vLLM exposes them.
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
  double kv_usage = 0;               // referenced blocks only
  std::uint64_t num_gpu_blocks = 0;  // of this rank; one of them is the null block
  // Tokens looked up and found. Preempted requests that come back are not counted. Newer vLLM
  // (vllm-project/vllm#48860, July 2026) counts a request once, when it is admitted...
  std::uint64_t prefix_queries = 0;
  std::uint64_t prefix_hits = 0;
  // ... older vLLM at every attempt, so a blocked head of the queue counts once a step.
  std::uint64_t prefix_attempt_queries = 0;
  std::uint64_t prefix_attempt_hits = 0;
  std::uint64_t prompt_tokens = 0;  // of requests with a first token; includes the cached ones
  std::uint64_t prompt_cached = 0;  // the part of prompt_tokens read from the cache
  std::uint64_t generation_tokens = 0;
  std::uint64_t finished = 0;
  std::uint64_t aborted = 0;
  std::uint64_t preemptions = 0;

  // What vLLM does not tell.
  std::uint64_t steps = 0;
  std::uint64_t prefill_tokens = 0;     // computed in prompts, after a preemption in outputs too
  std::uint64_t decode_tokens = 0;      // computed one at a time
  std::uint64_t recomputed_tokens = 0;  // computed before by the same request, lost by preemption
  std::uint64_t evicted_blocks = 0;     // hashed blocks given to another use
  std::uint64_t cached_blocks = 0;      // gauge: blocks with a hash, in use or not
  // Time in steps; the three add up to the time the rank was busy.
  double base_seconds = 0;
  double prefill_seconds = 0;
  double decode_seconds = 0;
  // Time of steps at whose planning requests were left waiting, by what stopped the first of them:
  // its blocks did not fit, or a running request was preempted; max_num_seqs; the token budget.
  double kv_blocked_seconds = 0;
  double seqs_blocked_seconds = 0;
  double budget_blocked_seconds = 0;
};

class ServerModel {
 public:
  virtual ~ServerModel() = default;
  // The caller has advanced to `now` first, so that nothing is due before it. Returns the rank
  // chosen. Errors (kBadRequest, with vLLM's wording where vLLM has one): a rank out of range; a
  // prompt and output that do not fit one rank's cache (max_request_tokens); an empty prompt.
  virtual Result<std::uint32_t> submit(EngineRequest request, Instant now) = 0;
  // Frees what the request holds at once; its full blocks stay hittable. The step under way takes
  // as long as it was planned to. No event follows. An unknown or finished id is ignored.
  virtual void abort(RequestId id, Instant now) = 0;
  // When something happens next, if anything will without new input. O(1).
  virtual std::optional<Instant> next_event() const = 0;
  // Appends everything that happens up to and including `now`, in order; of one instant, rank by
  // rank. Allocates nothing in steady state if `out` has room.
  virtual void advance(Instant now, std::vector<Event>& out) = 0;
  virtual RankStats rank_stats(std::uint32_t rank) const = 0;
  virtual const ServerSpec& spec() const = 0;

  // One entry a rank.
  std::vector<RankStats> stats() const;
};

// The spec must pass check_spec. `oracle`: see kv_oracle.h; null for a real cache.
std::unique_ptr<ServerModel> make_server(const ServerSpec& spec,
                                         const std::shared_ptr<KvOracle>& oracle = nullptr);

}  // namespace berth::engine
