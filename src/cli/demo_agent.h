// A small coding agent for the demo: one session, one conversation, one turn after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/demo_conversation.h"
#include "http/client.h"
#include "net/types.h"

namespace berth::cli {

// What one turn came to.
struct DemoTurn {
  std::uint32_t agent = 0;   // from 1
  std::uint32_t number = 0;  // of the turn, from 1
  std::string session;
  std::string outcome;  // x-berth-outcome
  std::string replica;  // x-berth-replica; empty when the engine chose
  std::uint64_t prompt_tokens = 0;
  std::optional<std::uint64_t> cached_tokens;
  Duration first_token{};  // from sending to the first text
};

// Owner: the story. Thread: the executor its turns are awaited on.
class DemoAgent {
 public:
  DemoAgent(std::uint32_t number, http::Url gateway, DemoConversation conversation,
            const Clock& clock);

  // Sends the whole history and one question more, and reads the answer. An error names the agent.
  net::Task<Result<DemoTurn>> turn();
  const DemoConversation& conversation() const { return conversation_; }

 private:
  std::uint32_t number_;
  http::Url gateway_;
  DemoConversation conversation_;
  const Clock& clock_;
};

}  // namespace berth::cli
