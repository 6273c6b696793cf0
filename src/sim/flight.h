// One request on its way: from the client's send to the last byte of its answer. And the speaker,
// the client's side of one conversation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "routing/types.h"
#include "sim/block_stream.h"
#include "sim/plan.h"

namespace berth::sim {

struct Flight {
  std::uint64_t speaker = 0;
  Instant sent{};  // the first try; a retry keeps it
  std::uint32_t prompt_tokens = 0;
  std::uint32_t output_tokens = 0;
  std::uint32_t kept_tokens = 0;
  std::uint32_t computed_before = 0;  // tokens of the conversation, by its last request
  bool first_turn = false;
  BlockList blocks;

  bool failed = false;  // on its way back to the client as an error
  bool answered = false;
  bool ended = false;  // its last byte has passed the gateway
  std::optional<routing::ReplicaIndex> replica;
  std::uint32_t server = 0;
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> api_process;  // of the pooled connection it travels on
  bool stayed = false;                       // at the replica of the conversation's last turn
  std::uint32_t cached_tokens = 0;
  Instant first_at_client{};
};

inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

struct Speaker {
  ConversationPlan plan;
  std::size_t next = 0;  // turn
  std::optional<BlockStream> text;
  std::uint64_t number = 0;  // of the conversation; also what its text is told apart by
  std::string session;       // its ids, as a client would send them
  std::string agent;
  std::uint64_t parent = 0;  // speaker; 0: none
  std::uint64_t parent_number = 0;
  std::uint32_t children = 0;    // still speaking
  std::uint32_t slot = kNoSlot;  // of a closed loop: a new session follows
  Instant started{};
  std::optional<routing::ReplicaIndex> last_replica;
  std::uint32_t computed_tokens = 0;  // by its last request, prompt and answer
};

}  // namespace berth::sim
