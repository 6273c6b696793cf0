// A client that sends exactly the bytes it is given.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenario/blocking_socket.h"
#include "scenario/message.h"

namespace berth::scenario {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

class RawClient {
 public:
  explicit RawClient(std::uint16_t port)
      : socket_(BlockingSocket::connect(port)), reader_(socket_) {}

  bool send(std::string_view bytes) { return socket_.send(bytes); }
  // Sends a POST with a Content-Length.
  void post(const std::string& target, const std::string& body, const HeaderList& headers = {});
  std::optional<Message> response() { return reader_.read_response(); }
  // post() and response() in one; a response that never comes is an empty message.
  Message ask(const std::string& target, const std::string& body, const HeaderList& headers = {});
  MessageReader& reader() { return reader_; }
  BlockingSocket& socket() { return socket_; }

 private:
  BlockingSocket socket_;
  MessageReader reader_;
};

// A turn of a chat conversation in `session`: the Claude Code header, the messages API.
std::string messages_body(const std::string& text, bool stream, const std::string& model = "m");
HeaderList claude(const std::string& session, const std::string& agent = "");

}  // namespace berth::scenario
