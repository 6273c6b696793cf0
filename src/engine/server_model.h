// One vLLM server as a state machine: N ranks, their caches and queues, the server's own balancer.
// Events in, events out, time passed in; no I/O, threads or clock.
//
// This is the seam behind which a faithful model (scheduler step, paged cache) will stand: `berth
// engine` and the simulator see only this header. Not thread safe; time never goes backwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace berth::engine {

using Token = std::uint32_t;
using RequestId = std::uint64_t;

// vLLM's own ways to pick a rank when no rank header comes (balancer.h says what each does, with
// its source).
enum class Balancer : std::uint8_t { kOff, kOffPublished, kOffRotating, kOff2026 };
// "off", "off-published", "off-rotating", "off-2026".
std::optional<Balancer> balancer_from_name(std::string_view name);
std::string_view balancer_name(Balancer balancer);

// How long one scheduler step takes, in seconds:
//   base + prefill_token * (prompt tokens computed) + decode_seq * (sequences decoding)
//        + decode_context_token * (their context)
//        + attention * sum(chunk * (tokens before the chunk + chunk / 2))
// presets.h holds measured sets and where they come from.
struct StepTime {
  double base = 0.0235;
  double prefill_token = 0.00022;
  double decode_seq = 0.0003;
  double decode_context_token = 0.39e-6;
  double attention = 12e-9;
};

struct ServerSpec {
  std::uint32_t ranks = 1;
  std::uint64_t kv_tokens = 36'000;  // capacity of one rank, in tokens: num_gpu_blocks * block_size
  std::uint32_t block_size = 16;
  std::uint32_t max_num_seqs = 32;
  std::uint32_t max_num_batched_tokens = 2'048;
  StepTime step;
  Balancer balancer = Balancer::kOff;
  std::uint32_t api_processes = 0;  // 0: as many as ranks, vLLM's default (--api-server-count)
  std::uint64_t seed = 1;
};

// The first thing wrong with a spec (kConfig, naming the field), or nothing.
Result<void> check_spec(const ServerSpec& spec);

struct EngineRequest {
  RequestId id = 0;  // unique among unfinished requests
  std::vector<Token> prompt;
  // How many tokens will be generated. 0: a pooling request, over when its prompt is computed.
  std::uint32_t output_tokens = 1;
  // The tokens themselves, so that the next turn finds them in the cache. May be shorter than
  // output_tokens: what is missing fills blocks that nobody can hit.
  std::vector<Token> output;
  std::optional<std::uint32_t> rank;  // from the rank header
  // Which API process took the connection; absent: drawn from the seed.
  std::optional<std::uint32_t> api_process;
  std::uint64_t salt = 0;  // cache_salt
};

enum class EventKind : std::uint8_t { kToken, kFinished };
struct Event {
  EventKind kind = EventKind::kToken;
  RequestId id = 0;
  Instant at{};
  std::uint32_t index = 0;  // kToken: of the token; kFinished: how many there were
  // Prompt tokens found in the cache at first scheduling, and when that was.
  std::uint64_t cached_tokens = 0;
  Instant scheduled_at{};
};

// Counters and gauges of one rank, as vLLM exposes them.
struct RankStats {
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
  double kv_usage = 0;               // referenced blocks only
  std::uint64_t prefix_queries = 0;  // tokens, once a request, at admission
  std::uint64_t prefix_hits = 0;
  std::uint64_t prompt_tokens =
      0;  // of requests whose prompt is computed; includes the cached ones
  std::uint64_t prompt_cached = 0;  // the part of prompt_tokens read from the cache
  std::uint64_t generation_tokens = 0;
  std::uint64_t finished = 0;
  std::uint64_t aborted = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t num_gpu_blocks = 0;  // of this rank; one of them is the null block
};

class ServerModel {
 public:
  virtual ~ServerModel() = default;
  // The caller has advanced to `now` first, so that nothing is due before it. Returns the rank
  // chosen. Errors (kBadRequest, with vLLM's wording where vLLM has one): a rank out of range; a
  // prompt and output that do not fit one rank's cache; an empty prompt.
  virtual Result<std::uint32_t> submit(EngineRequest request, Instant now) = 0;
  // Frees what the request holds at once; its full blocks stay hittable. No event follows. An
  // unknown or finished id is ignored.
  virtual void abort(RequestId id, Instant now) = 0;
  // When something happens next, if anything will without new input.
  virtual std::optional<Instant> next_event() const = 0;
  // Everything that happens up to and including `now`, in order.
  virtual std::vector<Event> advance(Instant now) = 0;
  virtual std::vector<RankStats> stats() const = 0;
  virtual const ServerSpec& spec() const = 0;
};

// The first form: one cache of block hashes with LRU eviction a rank, prefill one prompt at a time
// in steps shared with decoding, every request's blocks reserved whole at admission (so nothing is
// ever preempted). The spec must pass check_spec.
std::unique_ptr<ServerModel> make_simple_server(const ServerSpec& spec);

}  // namespace berth::engine
