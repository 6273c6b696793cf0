// Every request to a replica drawn at random, of those that are up. The floor: no load, no memory.
#include "sim/policies.h"
#include "sim/random.h"
#include "sim/rival.h"

namespace berth::sim {
namespace {

class RandomPolicy final : public Rival {
 public:
  explicit RandomPolicy(const PolicyContext& context) : Rival(context), random_(context.seed) {}

 private:
  std::optional<routing::ReplicaIndex> choose(const PolicyRequest&) override {
    const std::vector<routing::ReplicaIndex> open = up();
    if (open.empty()) return std::nullopt;
    return open[random_.below(open.size())];
  }

  Random random_;
};

}  // namespace

std::unique_ptr<Policy> make_random(const PolicyContext& context) {
  return std::make_unique<RandomPolicy>(context);
}

}  // namespace berth::sim
