// One vLLM server as a state machine: N ranks, their caches and queues, the server's own balancer. Events in,
// events out, time passed in; no I/O, threads or clock.
//
// This is the seam behind which a faithful model (scheduler step, paged cache) will stand: `berth engine` and
// the simulator see only this header.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace berth::engine {

using Token = std::uint32_t;
using RequestId = std::uint64_t;

// vLLM's own ways to pick a rank when no rank header comes; names as in docs/engine.md, with their sources.
enum class Balancer : std::uint8_t { kOff, kOffPublished, kOffRotating, kOff2026 };
std::optional<Balancer> balancer_from_name(std::string_view name);

struct ServerSpec {
  std::uint32_t ranks = 1;
  std::uint64_t kv_tokens = 40'000;    // capacity of one rank, in tokens
  std::uint32_t block_size = 16;
  std::uint32_t max_num_seqs = 32;
  double prefill_tokens_per_s = 3'000;
  double decode_tokens_per_s = 40;     // of one sequence alone
  Balancer balancer = Balancer::kOff;
  std::uint32_t api_processes = 0;     // 0: as many as ranks, vLLM's default
  std::uint64_t seed = 1;
};

struct EngineRequest {
  RequestId id = 0;
  std::vector<Token> prompt;
  std::uint32_t output_tokens = 1;     // how many will be generated
  std::optional<std::uint32_t> rank;   // from the rank header
  std::uint64_t salt = 0;              // cache_salt
};

enum class EventKind : std::uint8_t { kToken, kFinished };
struct Event {
  EventKind kind = EventKind::kToken;
  RequestId id = 0;
  Instant at{};
  std::uint32_t index = 0;             // of the token
};

// Counters and gauges of one rank, as vLLM exposes them.
struct RankStats {
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
  double kv_usage = 0;                 // referenced blocks only
  std::uint64_t prefix_queries = 0;    // tokens
  std::uint64_t prefix_hits = 0;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t generation_tokens = 0;
  std::uint64_t finished = 0;
  std::uint64_t aborted = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t num_gpu_blocks = 0;
};

class ServerModel {
 public:
  virtual ~ServerModel() = default;
  // Errors: a rank out of range (kBadRequest), with vLLM's wording.
  virtual Result<std::uint32_t> submit(const EngineRequest& request, Instant now) = 0;  // the rank chosen
  virtual void abort(RequestId id, Instant now) = 0;
  // When something happens next, if anything will without new input.
  virtual std::optional<Instant> next_event() const = 0;
  // Everything that happens up to and including `now`, in order.
  virtual std::vector<Event> advance(Instant now) = 0;
  // Prompt tokens found in the cache at first scheduling; known once the first token is out.
  virtual std::uint64_t cached_tokens(RequestId id) const = 0;
  virtual std::vector<RankStats> stats() const = 0;
  virtual const ServerSpec& spec() const = 0;
};

// The first form: one cache of block hashes with LRU eviction a rank, prefill one at a time, decode shared.
std::unique_ptr<ServerModel> make_simple_server(const ServerSpec& spec);

}  // namespace berth::engine
