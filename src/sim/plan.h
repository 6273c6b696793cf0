// What a client will do, decided before it does it: a conversation with its turns, their sizes and
// pauses. Plain data, drawn by a workload from a seed, so that every policy meets the same clients.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace berth::sim {

struct ConversationPlan;

struct TurnPlan {
  Duration gap{};  // the client's pause between the last answer and this request
  std::uint32_t prompt_tokens = 0;
  // Of the prompt: how many leading tokens are those of the last request and its answer. Of a
  // first turn: of the text all conversations of the workload share.
  std::uint32_t kept_tokens = 0;
  std::uint32_t output_tokens = 1;
  // Subagents that run side by side after the pause and before this request, which waits for all.
  std::vector<ConversationPlan> children;
};

struct ConversationPlan {
  std::vector<TurnPlan> turns;  // not empty
  // Does the client name its session? If not, no gateway can know the turns belong together.
  bool named = true;
  // Begins with its first turn. A conversation that a replay joins in the middle does not, and has
  // no duration to report.
  bool whole = true;
  // Where the text is known by global ids (Mooncake): one a `content_tokens` tokens of the prompt.
  std::vector<std::uint64_t> content;
  std::uint32_t content_tokens = 0;
};

}  // namespace berth::sim
