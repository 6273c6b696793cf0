// consistent-hash: every request of a session to the replica that owns the session's hash on a
// ring; load is not looked at.
//
// What nginx (`hash $http_x_claude_code_session_id consistent`), Envoy (ring_hash) and vllm-router
// (consistent_hash) do. The key is the session, as those see it in a header, so subagents follow
// their session. While its owner is down a session belongs to the next replica on the ring;
// vllm-router sends all of those to its first healthy worker instead.
//
// bounded-hash: the same, but no replica may have more than 1.25 times the mean in flight: the
// session goes to the next replica on the ring with room, for this request, and is back at its
// owner as soon as that has room.
//
// Rule and bound: Mirrokni, Thorup, Zadimoghaddam: Consistent hashing with bounded loads (SODA
// 2018, arXiv 1608.01350): with the new request counted, a replica takes at most ceil(1.25 * m / N)
// of m. 1.25 is KubeAI's default and the lower end of what HAProxy's manual advises for
// `hash-balance-factor`.
#include "routing/stable_hash.h"
#include "sim/hash_ring.h"
#include "sim/policies.h"
#include "sim/rival.h"

namespace berth::sim {
namespace {

// 1.25, as a fraction so that the bound is exact.
constexpr std::uint64_t kBoundNumerator = 5;
constexpr std::uint64_t kBoundDenominator = 4;

class ConsistentHash final : public Rival {
 public:
  ConsistentHash(const PolicyContext& context, bool bounded)
      : Rival(context), block_size_(context.block_size), bounded_(bounded) {
    for (const Replica& replica : replicas()) ring_.add(ringed_++, replica.spec.label);
  }

  void on_added(const routing::ReplicaSpec& spec, Instant now) override {
    Rival::on_added(spec, now);
    ring_.add(ringed_++, spec.label);
  }

 private:
  std::optional<routing::ReplicaIndex> choose(const PolicyRequest& request) override {
    const std::uint32_t most = bounded_ ? bound() : UINT32_MAX;
    return ring_.find(key(request), [&](routing::ReplicaIndex i) {
      return replicas()[i].up && replicas()[i].in_flight < most;
    });
  }

  // How many one replica may have in flight, the coming request among them.
  std::uint32_t bound() const {
    std::uint64_t all = 1;
    std::uint64_t replicas_up = 0;
    for (const routing::ReplicaIndex i : up()) {
      all += replicas()[i].in_flight;
      ++replicas_up;
    }
    if (replicas_up == 0) return 0;
    const std::uint64_t divisor = kBoundDenominator * replicas_up;
    return static_cast<std::uint32_t>((kBoundNumerator * all + divisor - 1) / divisor);
  }

  // Without a session the published routers hash the body: here the end of the prompt stands for
  // it.
  std::uint64_t key(const PolicyRequest& request) const {
    if (request.facts.conversation) {
      return routing::sip_hash(routing::kStableKey, request.facts.conversation->session);
    }
    const std::size_t full = request.prompt_tokens / block_size_;
    const bool has_text = request.blocks && full > 0 && full <= request.blocks->size();
    return routing::mix(has_text ? (*request.blocks)[full - 1] : request.id, 0);
  }

  std::uint32_t block_size_;
  bool bounded_;
  HashRing ring_;
  routing::ReplicaIndex ringed_ = 0;
};

}  // namespace

std::unique_ptr<Policy> make_consistent_hash(const PolicyContext& context) {
  return std::make_unique<ConsistentHash>(context, false);
}

std::unique_ptr<Policy> make_bounded_hash(const PolicyContext& context) {
  return std::make_unique<ConsistentHash>(context, true);
}

}  // namespace berth::sim
