// Reads a streamed answer of POST /v1/chat/completions: its text, when the first of it came, and
// the engine's count of prompt tokens. Pure; the bytes may come in any pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::sim_http {

class AnswerReader {
 public:
  // True the first time text of the answer has come. A chunk with the role and no text is none.
  bool feed(std::string_view bytes);

  const std::string& text() const { return text_; }
  bool ended() const { return ended_; }  // [DONE] has come
  std::uint64_t prompt_tokens() const { return prompt_tokens_; }
  std::uint64_t output_tokens() const { return output_tokens_; }

 private:
  void on_line(std::string_view line);

  std::string line_;  // the part of a line that has come
  std::string text_;
  bool ended_ = false;
  std::uint64_t prompt_tokens_ = 0;
  std::uint64_t output_tokens_ = 0;
};

}  // namespace berth::sim_http
