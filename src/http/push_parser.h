// Boost.Beast's parser behind a wall: checks the syntax of a whole head and decodes the body that
// follows.
//
// It is the second opinion on the head (framing.h has the first) and the only decoder of chunked
// bodies. Beast takes 12 s to compile, so no header of ours includes it. Pure: no I/O. Bytes may
// come in any pieces: the same bytes give the same result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/head.h"
#include "http/refusal.h"

namespace berth::http {

// Pieces of a decoded body. They point into the bytes that were given, nothing is copied.
using BodySpans = std::vector<std::string_view>;

class PushParser {
 public:
  enum class Kind : std::uint8_t { kRequest, kResponse };

  // `no_body`: a response that has none whatever its head says (it answers HEAD).
  PushParser(Kind kind, bool no_body);
  ~PushParser();
  PushParser(PushParser&&) noexcept;
  PushParser& operator=(PushParser&&) noexcept;

  // Takes the whole raw head. Refused when Beast finds a fault, or delimits the body in another way
  // than `framing` and `content_length` say.
  Accepted<void> head(std::string_view raw, BodyFraming framing, std::uint64_t content_length);

  // Decodes what it can of `in`, appends the pieces to `out` and returns how many bytes it used:
  // fewer than given only when the message is complete. A chunk's size line with extensions, and
  // all trailers together, may have 8 KiB; trailers are checked and dropped.
  Accepted<std::size_t> body(std::string_view in, BodySpans& out);

  // The message is whole.
  bool done() const;
  // The peer closed. False when the message was not whole.
  bool finish();

 private:
  struct Engine;
  template <bool kIsRequest>
  class Sink;

  Accepted<std::size_t> chunk_line(std::string_view in);
  Accepted<std::size_t> put(std::string_view in, BodySpans& out);

  std::unique_ptr<Engine> engine_;
  BodyFraming framing_ = BodyFraming::kNone;
  std::string line_;  // a chunk's size line, or the trailers, as far as they have come
};

}  // namespace berth::http
