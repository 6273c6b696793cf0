// How much of one body's history is read. A body of the largest size may consist of tens of
// millions of tiny values, and a worker that hashed each would serve nobody else for seconds.
//
// What is beyond it is passed over: the history counts only as far as it was read, as if it ended
// there, and the request goes on to the engine as it is. One object a body.
#pragma once

#include <cstddef>
#include <string_view>

#include "inspect/json_parse.h"

namespace berth::inspect {

class ReadingBudget {
 public:
  // List elements and object members. The longest that make sense are prompts as token ids: this is
  // a context of a million tokens, at some 20 ns each. A message, block or call counts as several:
  // it costs that much more.
  static constexpr std::size_t kMaxParts = std::size_t{1} << 20;
  static constexpr std::size_t kNodeParts = 8;
  // Bytes of strings whose escapes are undone, at some 5 ns each where there is nothing else; about
  // four million tokens. Longer text counts by its bytes in the body.
  static constexpr std::size_t kMaxText = std::size_t{16} << 20;

  // For one part more, or what counts as several. False: it is spent, and stays so.
  bool take(std::size_t parts = 1) {
    if (parts_ < parts) spent_ = true;
    if (!spent_) parts_ -= parts;
    return !spent_;
  }
  bool spent() const { return spent_; }

  // text_of() within the budget.
  std::string_view text_of(JsonValue value);

 private:
  std::size_t parts_ = kMaxParts;
  std::size_t text_ = kMaxText;
  bool spent_ = false;
};

}  // namespace berth::inspect
