// The rule that three of the four balancers share: score = waiting * 4 + running, first minimum
// from a start.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/balancer.h"
#include "engine/published_counts.h"

namespace berth::engine {

class BalancerByCounts : public RankBalancer {
 public:
  BalancerByCounts(std::uint32_t ranks, std::uint32_t processes);
  void observe(std::span<const RankLoad> loads, Instant now) override;
  Instant due() const override { return counts_.due(); }
  std::uint32_t choose(std::uint32_t api_process) override;

 protected:
  // Called after a choice.
  virtual void move_start(std::uint32_t& /*start*/) {}
  PublishedCounts& counts() { return counts_; }
  const PublishedCounts& counts() const { return counts_; }
  std::uint32_t ranks() const { return ranks_; }

 private:
  std::uint32_t ranks_;
  std::uint32_t processes_;
  PublishedCounts counts_;
  std::vector<std::uint32_t> start_;  // by process
};

}  // namespace berth::engine
