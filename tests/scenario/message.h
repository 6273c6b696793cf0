// HTTP messages as a test sees them: raw head, and the body after its framing was undone.
//
// A deliberately plain reader, independent of the code under test.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scenario/blocking_socket.h"

namespace berth::scenario {

struct Message {
  std::string start_line;
  std::string head;  // everything up to the empty line, CRLFs included
  std::string body;
  bool whole = false;  // the body ended as its framing says

  // Value of the first header of that name, whatever its case.
  std::string header(std::string_view name) const;
  int status() const;  // of a response
};

// Bytes read ahead of a socket between messages.
class MessageReader {
 public:
  explicit MessageReader(BlockingSocket& socket) : socket_(socket) {}

  // Nothing: the peer closed before a head was whole.
  std::optional<Message> read_request();
  std::optional<Message> read_response();
  // Reads on until the body received so far (undecoded) contains `text`. False when the stream ends
  // before.
  bool read_until(std::string_view text);
  std::optional<std::string> read_head();

 private:
  std::optional<Message> read(bool response);
  bool fill();
  std::string take(std::size_t bytes);
  bool read_chunked(std::string& body);

  BlockingSocket& socket_;
  std::string buffer_;
};

}  // namespace berth::scenario
