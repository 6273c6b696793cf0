// Where conversations come from. A workload has no state that changes: session number s of a run
// with seed x is the same whatever was drawn before, so all policies of a comparison serve the same
// sessions, and a session that comes late under one policy is still the same session.
#pragma once

#include <cstdint>

#include "sim/plan.h"
#include "sim/random.h"

namespace berth::sim {

// Which session of a run is drawn.
struct SessionDraw {
  std::uint64_t session = 0;     // from 0 in each stage
  std::uint64_t stage_seed = 0;  // of the run and its stage
  // One of those that are there when the run begins. A replay joins these in the middle, so that
  // the fleet does not start with everybody at a first turn.
  bool initial = false;
};

class Workload {
 public:
  virtual ~Workload() = default;
  // `random` is this session's own.
  virtual ConversationPlan draw(const SessionDraw& which, Random& random) const = 0;
  // Text every conversation begins with, in tokens.
  virtual std::uint32_t shared_tokens() const = 0;
  // Prompt and output of the largest request it can draw, for the check that a replica can hold it.
  virtual std::uint64_t largest_request() const = 0;
};

}  // namespace berth::sim
