// The cache-aware rule of SGLang's router, of its successors and of vllm-router: where the text of
// the request was sent before, unless the load is uneven.
//
//   1. If more requests are in flight on the busiest replica than on the idlest by more than `gap`,
//      and more than `ratio` times as many: to the one with fewest in flight.
//   2. Else the longest prefix of the text that was sent anywhere (prefix_tree.h). If it is more
//   than
//      `match` of the text: to a replica that was sent it.
//   3. Else to the replica with the smallest tree or, in later versions, with fewest in flight.
// Wherever it goes, the tree learns that it was sent there. A replica chosen in 2 or 3 that is down
// is forgotten, and the request goes to the first healthy one without the tree learning it; one
// that comes back registers with nothing, as service discovery makes it do.
//
// Read in:
//   sgl-project/sglang       sgl-router/src/policies/cache_aware.rs (2025): `sglang`,
//   `sglang-library` vllm-project/router      src/policies/cache_aware.rs (2026), and SGLang's
//   sgl-model-gateway:
//                            step 3 by requests in flight, though their comments still name the
//                            tree: `vllm-router`. It can also pin a session by its id, but reads
//                            neither the header nor the body field that Claude Code sends.
// 0.3 / 64 / 1.5, eviction every 120 s down to 2^26 characters: the defaults of both command lines.
// 0.5 / 32 / 1.1: of the library (CacheAwareConfig::default) and of SGLang's later sgl-router; the
// library also evicts every 30 s down to 10,000 characters, less than one agent's prompt, which no
// server is run with: here the tree's limits are the command line's in all three.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/policies.h"
#include "sim/prefix_tree.h"
#include "sim/rival.h"

namespace berth::sim {
namespace {

constexpr Duration kEvictEvery = std::chrono::seconds(120);
constexpr std::size_t kMostCharacters = std::size_t{1} << 26;
constexpr std::size_t kCharactersPerToken = 4;

struct Rule {
  double match;
  std::uint32_t gap;
  double ratio;
  bool smallest_tree;  // step 3
};
constexpr Rule kSglang{0.3, 64, 1.5, true};
constexpr Rule kSglangLibrary{0.5, 32, 1.1, true};
constexpr Rule kVllmRouter{0.3, 64, 1.5, false};

class CacheAware final : public Rival {
 public:
  CacheAware(const PolicyContext& context, const Rule& rule)
      : Rival(context), rule_(rule), block_size_(context.block_size) {
    for (routing::ReplicaIndex i = 0; i < replicas().size(); ++i) tree_.add(i);
  }

  void on_replica(routing::ReplicaIndex replica, routing::ReplicaState state,
                  Instant now) override {
    Rival::on_replica(replica, state, now);
    if (state == routing::ReplicaState::kUp) tree_.add(replica);
  }
  void on_added(const routing::ReplicaSpec& spec, Instant now) override {
    Rival::on_added(spec, now);
    tree_.add(static_cast<routing::ReplicaIndex>(replicas().size() - 1));
  }

  std::optional<Instant> next_tick() const override { return next_tick_; }
  void on_tick(Instant now) override {
    tree_.evict(kMostCharacters / (kCharactersPerToken * block_size_));
    next_tick_ = now + kEvictEvery;
  }

  std::vector<std::string> notes(Instant) const override {
    return {fmt::format("requests sent by load {}, by their text {}, new text {}, first healthy {}",
                        sent_[kByLoad], sent_[kByText], sent_[kNewText], sent_[kFirstHealthy])};
  }

 private:
  enum Step : std::uint8_t { kByLoad, kByText, kNewText, kFirstHealthy };

  std::optional<routing::ReplicaIndex> choose(const PolicyRequest& request) override {
    const std::vector<routing::ReplicaIndex> open = up();
    if (open.empty()) return std::nullopt;
    const PrefixTree::Text text = text_of(request);
    Step step = kByLoad;
    routing::ReplicaIndex to = *least_in_flight();
    if (!uneven(open)) {
      const PrefixTree::Match match = tree_.match(text);
      const double matched = static_cast<double>(match.blocks * block_size_);
      step = matched / std::max(request.prompt_tokens, 1U) > rule_.match ? kByText : kNewText;
      if (step == kByText) to = *match.replica;
      if (step == kNewText && rule_.smallest_tree) to = tree_.smallest().value_or(to);
    }
    if (!replicas()[to].up) {
      tree_.forget(to);
      ++sent_[kFirstHealthy];
      return open.front();
    }
    tree_.insert(text, to);
    ++sent_[step];
    return to;
  }

  bool uneven(const std::vector<routing::ReplicaIndex>& open) const {
    std::uint32_t most = 0;
    std::uint32_t fewest = UINT32_MAX;
    for (const routing::ReplicaIndex i : open) {
      most = std::max(most, replicas()[i].in_flight);
      fewest = std::min(fewest, replicas()[i].in_flight);
    }
    return most - fewest > rule_.gap && most > rule_.ratio * fewest;
  }

  PrefixTree::Text text_of(const PolicyRequest& request) const {
    if (!request.blocks) return {};
    const std::size_t full = request.prompt_tokens / block_size_;
    return {request.blocks->data(), std::min(full, request.blocks->size())};
  }

  Rule rule_;
  std::uint32_t block_size_;
  PrefixTree tree_;
  std::optional<Instant> next_tick_ = Instant{};
  std::array<std::uint64_t, 4> sent_{};
};

}  // namespace

std::unique_ptr<Policy> make_sglang(const PolicyContext& context) {
  return std::make_unique<CacheAware>(context, kSglang);
}
std::unique_ptr<Policy> make_sglang_library(const PolicyContext& context) {
  return std::make_unique<CacheAware>(context, kSglangLibrary);
}
std::unique_ptr<Policy> make_vllm_router(const PolicyContext& context) {
  return std::make_unique<CacheAware>(context, kVllmRouter);
}

}  // namespace berth::sim
