// Two different replicas drawn at random, the request to the one with fewer in flight; of equals to
// the one drawn first.
//
// Rule: Mitzenmacher: The power of two choices in randomized load balancing (IEEE TPDS 12, 2001).
// As written in vllm-project/router, src/policies/power_of_two.rs, and in SGLang's router of the
// same name. They add the load their workers report every few seconds where it is polled; here the
// count is the router's own, which is exact.
#include "sim/policies.h"
#include "sim/random.h"
#include "sim/rival.h"

namespace berth::sim {
namespace {

class PowerOfTwo final : public Rival {
 public:
  explicit PowerOfTwo(const PolicyContext& context) : Rival(context), random_(context.seed) {}

 private:
  std::optional<routing::ReplicaIndex> choose(const PolicyRequest&) override {
    const std::vector<routing::ReplicaIndex> open = up();
    if (open.empty()) return std::nullopt;
    if (open.size() == 1) return open.front();
    const std::uint64_t first = random_.below(open.size());
    std::uint64_t second = random_.below(open.size() - 1);
    if (second >= first) ++second;
    const routing::ReplicaIndex a = open[first];
    const routing::ReplicaIndex b = open[second];
    return replicas()[b].in_flight < replicas()[a].in_flight ? b : a;
  }

  Random random_;
};

}  // namespace

std::unique_ptr<Policy> make_power_of_two(const PolicyContext& context) {
  return std::make_unique<PowerOfTwo>(context);
}

}  // namespace berth::sim
