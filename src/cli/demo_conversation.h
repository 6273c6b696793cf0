// One conversation of a demo agent: a system prompt that all agents share, a first message of its
// own, and a history that grows by one question and one answer a turn. The sizes are those of the
// load test that Berth is measured by: about 3,500 tokens shared, 6,000 of its own, 400 more a
// turn, at most 256 in answer. A token of the simulated engine is four bytes of text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace berth::cli {

class DemoConversation {
 public:
  // Equal seeds give equal texts.
  DemoConversation(std::string model, std::uint64_t seed);

  // The id as it goes into x-claude-code-session-id.
  const std::string& session() const { return session_; }
  // Turns asked so far.
  std::uint32_t turns() const { return turns_; }

  // Asks the next question: the body of a streaming POST /v1/messages with the whole history.
  std::string next_request();
  // What was answered to it.
  void add_answer(std::string text);

 private:
  struct Message {
    bool from_user = true;
    std::string text;
  };

  std::string model_;
  std::uint64_t seed_;
  std::string session_;
  std::uint32_t turns_ = 0;
  std::vector<Message> history_;
};

}  // namespace berth::cli
