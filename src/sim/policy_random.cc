// Every request to a replica drawn at random, of those that are up. The floor: no load, no memory.
#include <vector>

#include "sim/policies.h"
#include "sim/random.h"

namespace berth::sim {
namespace {

class RandomPolicy final : public Policy {
 public:
  explicit RandomPolicy(const PolicyContext& context)
      : replicas_(context.replicas), up_(replicas_.size(), true), random_(context.seed) {}

  Answer on_request(const PolicyRequest&, Instant) override {
    std::vector<routing::ReplicaIndex> open;
    for (routing::ReplicaIndex i = 0; i < replicas_.size(); ++i) {
      if (up_[i]) open.push_back(i);
    }
    if (open.empty()) return Refuse{};
    return Send{replicas_[open[random_.below(open.size())]].target};
  }

  void on_replica(routing::ReplicaIndex replica, routing::ReplicaState state, Instant) override {
    up_[replica] = state == routing::ReplicaState::kUp;
  }
  void on_added(const routing::ReplicaSpec& spec, Instant) override {
    replicas_.push_back(spec);
    up_.push_back(true);
  }

 private:
  std::vector<routing::ReplicaSpec> replicas_;
  std::vector<bool> up_;
  Random random_;
};

}  // namespace

std::unique_ptr<Policy> make_random(const PolicyContext& context) {
  return std::make_unique<RandomPolicy>(context);
}

}  // namespace berth::sim
