// Chunked framing as written: one chunk for each read that is passed on, never one for each event.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace berth::http {

// What goes after a chunk's bytes.
inline constexpr std::string_view kChunkEnd = "\r\n";
// Ends the body; no trailers.
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// What goes before a chunk's bytes: "1f4\r\n". Holds its text itself, so it can lie on a
// coroutine's frame until the write is done.
class ChunkHeader {
 public:
  // `size` > 0: a chunk of none would end the body.
  explicit ChunkHeader(std::size_t size) noexcept {
    char* end = std::to_chars(text_.data(), text_.data() + text_.size() - 2, size, 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    length_ = static_cast<std::size_t>(end - text_.data());
  }
  std::string_view view() const noexcept { return {text_.data(), length_}; }

 private:
  std::array<char, 18> text_;
  std::size_t length_ = 0;
};

}  // namespace berth::http
