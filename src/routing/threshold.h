// The overflow threshold: how many requests may be in flight at home before a further one may leave
// it.
//
// "auto" is a quarter of the engine's concurrent sequence limit, the rule of the measured reference
// (8 for the usual 32). vLLM publishes no max_num_seqs, so without a setting it is assumed, and the
// assumption is raised when more requests are seen running at once: the limit cannot be lower than
// that.
#pragma once

#include <cstdint>
#include <string>

#include "routing/settings.h"

namespace berth::routing {

struct Threshold {
  std::uint32_t value = 8;
  bool automatic = true;
  bool assumed = true;  // max_num_seqs was not told
  // "8 (auto, assumed)"; "8 (auto)" when max_num_seqs is set; "12" when the threshold itself is.
  std::string text() const;
};

// `most_running` is the most requests any replica of the model was seen running.
Threshold threshold_of(const Settings& settings, std::uint32_t most_running);

}  // namespace berth::routing
