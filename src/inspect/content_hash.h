// XXH3 over the canonical content of one message: its text as one run, other parts marked by their
// kind.
//
// Hashes text, not JSON: two spellings of the same text (a string, a list of blocks, other escapes)
// are equal.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace berth::inspect {

class ContentHash {
 public:
  // Neighbouring texts run together: ["a", "b"] equals "ab".
  void text(std::string_view text);
  // Begins a part that is not text. A mark is a byte that no UTF-8 text holds, then the kind.
  void mark(char kind);
  // A part's own bytes, taken as they are.
  void bytes(std::string_view bytes);
  void number(std::uint64_t value);
  // JSON text of any value, without the whitespace between its tokens.
  void json(std::string_view raw);

  bool empty() const { return !used_; }
  std::uint64_t digest() const;
  // The first few texts and the last one, as views into what they were given from.
  std::span<const std::string_view> first_texts() const { return {first_texts_.data(), texts_}; }
  std::string_view last_text() const { return last_text_; }

 private:
  void update(const void* data, std::size_t size);

  bool used_ = false;
  std::array<std::string_view, 4> first_texts_;
  std::size_t texts_ = 0;
  std::string_view last_text_;
  XXH3_state_t state_;  // set up at the first update: 576 bytes nobody pays for in an empty message
};

// One link of the chain: what the history up to here hashes to once `message` follows `before`.
std::uint64_t chain_link(std::uint64_t before, std::uint64_t message);

}  // namespace berth::inspect
