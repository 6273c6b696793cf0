// Reads a streamed answer of POST /v1/messages: its text, when the first of it came, and the
// engine's usage. Pure; the bytes may come in any pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "console/json.h"

namespace berth::cli {

class DemoReply {
 public:
  // True the first time text of the answer has come.
  bool feed(std::string_view bytes);

  const std::string& text() const { return text_; }
  // The answer came to its end (message_stop).
  bool ended() const { return ended_; }
  // The message of an error event; empty when there was none.
  const std::string& error() const { return error_; }
  // All prompt tokens, the cached ones included, and those. Absent when the engine did not tell.
  std::optional<std::uint64_t> prompt_tokens() const { return prompt_tokens_; }
  std::optional<std::uint64_t> cached_tokens() const { return cached_tokens_; }

 private:
  void on_line(std::string_view line);
  void on_event(const console::Json& event);
  void on_usage(const console::Json& usage);

  std::string line_;  // the part of a line that has come
  std::string text_;
  std::string error_;
  bool ended_ = false;
  std::optional<std::uint64_t> prompt_tokens_;
  std::optional<std::uint64_t> cached_tokens_;
};

}  // namespace berth::cli
