// The policies by name: what `berth sim list` prints and `--policies` takes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/server_model.h"
#include "sim/policy.h"

namespace berth::sim {

// What becomes of KV that does not fit. The bounds of what any policy could reach.
enum class Cache : std::uint8_t {
  kReal,
  kOracle,    // evicted KV comes back without computing it
  kInfinite,  // nothing is ever evicted
};

struct PolicyEntry {
  std::string_view name;
  std::string_view what;  // one line
  // Makes the policy for one run.
  std::unique_ptr<Policy> (*make)(const PolicyContext&);
  Cache cache = Cache::kReal;
  // How the server picks a rank where the policy names none.
  engine::Balancer balancer = engine::Balancer::kOff;
};

// In the order of the list.
const std::vector<PolicyEntry>& policies();

// kConfig: an unknown name, with what was probably meant, or one that is not built yet.
Result<const PolicyEntry*> find_policy(std::string_view name);

// The makers, one file each.
std::unique_ptr<Policy> make_on(const PolicyContext& context);
std::unique_ptr<Policy> make_off(const PolicyContext& context);
std::unique_ptr<Policy> make_session_hash(const PolicyContext& context);
std::unique_ptr<Policy> make_round_robin(const PolicyContext& context);
std::unique_ptr<Policy> make_least_loaded(const PolicyContext& context);
std::unique_ptr<Policy> make_on_stale(const PolicyContext& context);
std::unique_ptr<Policy> make_random(const PolicyContext& context);
std::unique_ptr<Policy> make_power_of_two(const PolicyContext& context);
std::unique_ptr<Policy> make_consistent_hash(const PolicyContext& context);
std::unique_ptr<Policy> make_bounded_hash(const PolicyContext& context);
std::unique_ptr<Policy> make_sglang(const PolicyContext& context);
std::unique_ptr<Policy> make_sglang_library(const PolicyContext& context);
std::unique_ptr<Policy> make_vllm_router(const PolicyContext& context);
std::unique_ptr<Policy> make_haproxy(const PolicyContext& context);

}  // namespace berth::sim
