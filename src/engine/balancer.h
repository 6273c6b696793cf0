// vLLM's internal load balancers: how a data-parallel server picks the rank of a request that names
// none.
//
// Each API process of the server has its own balancer state and sees only its own connections; the
// snapshot of the ranks' counts that the coordinator publishes is all they share. Pure; time passed
// in.
//
// Source: vllm/v1/engine/core_client.py (DPLBAsyncMPClient.get_core_engine_for_request) and
// coordinator.py, as of the commits and pull requests named at each form.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/server_model.h"

namespace berth::engine {

// One rank's load at an instant.
struct RankLoad {
  std::uint32_t waiting = 0;
  std::uint32_t running = 0;
  double kv_usage = 0;
  bool operator==(const RankLoad&) const = default;
};

class RankBalancer {
 public:
  virtual ~RankBalancer() = default;
  // `loads` is what has been true since the last call, one entry a rank. Called before anything
  // changes at `now`, so that a snapshot taken in between can be told exactly.
  virtual void observe(std::span<const RankLoad> loads, Instant now) = 0;
  // observe() does nothing before that instant, so it need not be called.
  virtual Instant due() const = 0;
  virtual std::uint32_t choose(std::uint32_t api_process) = 0;
  // A request of that process went to that rank (chosen or named by the client), and later ended.
  virtual void started(std::uint32_t /*api_process*/, std::uint32_t /*rank*/) {}
  virtual void ended(std::uint32_t /*api_process*/, std::uint32_t /*rank*/) {}
};

// off: dense models from v0.14 (vllm-project/vllm#30739, January 2026) to vllm-project/vllm#49204
// (July 2026). The engines never publish their counts. A process goes by its own increments
// (waiting += processes at each choice; score = waiting * 4), which the coordinator's 5 s heartbeat
// overwrites with zeros. Completions are never seen. Ties go to the first rank from a start that is
// fixed for the process: ranks * process / processes.
std::unique_ptr<RankBalancer> make_off_balancer(std::uint32_t ranks, std::uint32_t processes);

// off-published: the same rule with counts that work (score = waiting * 4 + running), published
// every 100 ms if they changed and every 5 s anyhow; the fixed start. vLLM to July 2026 for
// mixture-of-experts models.
std::unique_ptr<RankBalancer> make_published_balancer(std::uint32_t ranks, std::uint32_t processes);

// off-rotating: off-published, and the start moves on by one after every choice
// (vllm-project/vllm#47420, July 2026).
std::unique_ptr<RankBalancer> make_rotating_balancer(std::uint32_t ranks, std::uint32_t processes);

// off-2026: vllm-project/vllm#49204 (July 2026). score = max(processes * in flight of this process,
// waiting + running), plus waiting * 6 * (kv_usage - 0.5) where requests wait and the cache is more
// than half used; rotating start.
std::unique_ptr<RankBalancer> make_2026_balancer(std::uint32_t ranks, std::uint32_t processes);

std::unique_ptr<RankBalancer> make_balancer(Balancer kind, std::uint32_t ranks,
                                            std::uint32_t processes);

}  // namespace berth::engine
