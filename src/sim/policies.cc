#include "sim/policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "routing/settings.h"

namespace berth::sim {
namespace {

// Named by users and documents before they are built.
constexpr std::array<std::string_view, 3> kWithAdmission = {"berth", "berth-unbounded",
                                                            "clairvoyant"};

}  // namespace

const std::vector<PolicyEntry>& policies() {
  using engine::Balancer;
  static const std::vector<PolicyEntry> all = {
      {"off", "the server's own balancer: vLLM 0.26 for dense models, which never sees the counts",
       make_off},
      {"off-published", "the server's own balancer with counts that work, published every 100 ms",
       make_off, Cache::kReal, Balancer::kOffPublished},
      {"off-rotating", "off-published with a start that moves on after every choice", make_off,
       Cache::kReal, Balancer::kOffRotating},
      {"off-2026", "the server's own balancer since July 2026: requests in flight and KV use",
       make_off, Cache::kReal, Balancer::kOff2026},
      {"on", "Berth: least-loaded placement, sticky homes, overflow past the threshold", make_on},
      {"on-stale", "the published arm as fitted: placed by counts 3 s old, overflow re-homes",
       make_on_stale},
      {"oracle", "on, and evicted KV comes back without computing it", make_on, Cache::kOracle},
      {"infinite", "on, and nothing is ever evicted", make_on, Cache::kInfinite},
      {"round-robin", "every request to the next replica", make_round_robin},
      {"least-loaded", "every request to the replica with fewest in flight", make_least_loaded},
      {"session-hash", "rendezvous hash of the session, blind to load", make_session_hash},
      {"random", "every request to a replica drawn at random", make_random},
      {"power-of-two", "of two replicas drawn at random the one with fewer in flight",
       make_power_of_two},
      {"consistent-hash", "the session's hash on a ring, blind to load (nginx, Envoy, vllm-router)",
       make_consistent_hash},
      {"bounded-hash", "consistent-hash, and nobody has over 1.25 times the mean in flight",
       make_bounded_hash},
      {"sglang", "SGLang's cache-aware router: 0.3 / 64 / 1.5, new text to the smallest tree",
       make_sglang},
      {"sglang-library", "the same rule with its library's thresholds: 0.5 / 32 / 1.1",
       make_sglang_library},
      {"vllm-router", "cache-aware as vllm-router has it: 0.3 / 64 / 1.5, new text by load",
       make_vllm_router},
      {"haproxy", "leastconn and a stick table by session, maxconn = max_num_seqs", make_haproxy},
  };
  return all;
}

Result<const PolicyEntry*> find_policy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : policies()) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  if (std::find(kWithAdmission.begin(), kWithAdmission.end(), name) != kWithAdmission.end()) {
    return fail(ErrorCode::kConfig,
                fmt::format("policy '{}' needs the waiting line, which this version does not have "
                            "yet",
                            name));
  }
  // What `berth serve` calls it.
  if (name == routing::policy_name(routing::Policy::kSticky)) {
    return fail(
        ErrorCode::kConfig,
        fmt::format("there is no policy '{}' here; did you mean \"on\", the same rule by the "
                    "name of the published comparison?",
                    name));
  }
  return fail(ErrorCode::kConfig, fmt::format("there is no policy '{}'{}; berth sim list has all",
                                              name, did_you_mean(name, names)));
}

}  // namespace berth::sim
