// The text of one simulated conversation: a plan of the workload, in tokens, as the messages of a
// chat whose prompt has exactly as many tokens in the engine.
//
// The engine's rule (engine_http/tokens.h): four bytes of text are a token, and so is every mark of
// the chat template. A system message has two marks (its role, its end), a turn the same two, and
// the prompt ends with the mark of the assistant that is to speak.
//
// Owner: one session of one client. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan.h"

namespace berth::sim_http {

class History {
 public:
  // `shared_tokens`: of the system prompt with its marks, the same text in every conversation.
  // `own`: what tells this conversation's text from all others.
  History(std::uint32_t shared_tokens, std::uint64_t own);

  // The body of a streaming POST /v1/chat/completions that asks for the plan's next turn.
  std::string request(const std::string& model, const sim::TurnPlan& turn);
  // What was answered to it.
  void add_answer(std::string text);

 private:
  struct Message {
    const char* role;
    std::string text;
  };
  std::vector<Message> messages_;
  std::uint64_t own_;
};

// One request whose prompt is the shared text and one message more, of one token of output: it
// fills a rank's cache with the shared text.
std::string warming_request(const std::string& model, std::uint32_t shared_tokens);

}  // namespace berth::sim_http
