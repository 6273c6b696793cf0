#include "scenario/message.h"

#include <strings.h>

#include <cstdlib>

namespace berth::scenario {

std::string Message::header(std::string_view name) const {
  std::size_t at = head.find("\r\n");
  while (at != std::string::npos && at + 2 < head.size()) {
    const std::size_t begin = at + 2;
    at = head.find("\r\n", begin);
    const std::string line = head.substr(begin, at - begin);
    const std::size_t colon = line.find(':');
    if (colon != name.size() || ::strncasecmp(line.data(), name.data(), colon) != 0) continue;
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

int Message::status() const {
  return start_line.size() > 12 ? std::atoi(start_line.c_str() + 9) : 0;
}

bool MessageReader::fill() {
  const std::string more = socket_.receive();
  buffer_ += more;
  return !more.empty();
}

std::string MessageReader::take(std::size_t bytes) {
  std::string out = buffer_.substr(0, bytes);
  buffer_.erase(0, bytes);
  return out;
}

std::optional<std::string> MessageReader::read_head() {
  std::size_t end = std::string::npos;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return std::nullopt;
  }
  return take(end + 4);
}

bool MessageReader::read_until(std::string_view text) {
  while (buffer_.find(text) == std::string::npos) {
    if (!fill()) return false;
  }
  return true;
}

bool MessageReader::read_chunked(std::string& body) {
  for (;;) {
    std::size_t line = std::string::npos;
    while ((line = buffer_.find("\r\n")) == std::string::npos) {
      if (!fill()) return false;
    }
    const std::size_t size = std::strtoull(take(line + 2).c_str(), nullptr, 16);
    while (buffer_.size() < size + 2) {
      if (!fill()) return false;
    }
    body += take(size);
    take(2);
    if (size == 0) return true;
  }
}

std::optional<Message> MessageReader::read(bool response) {
  std::optional<std::string> head = read_head();
  if (!head) return std::nullopt;
  Message message;
  message.head = std::move(*head);
  message.start_line = message.head.substr(0, message.head.find("\r\n"));
  const std::string length = message.header("content-length");
  if (!message.header("transfer-encoding").empty()) {
    message.whole = read_chunked(message.body);
  } else if (!length.empty()) {
    const std::size_t size = std::strtoull(length.c_str(), nullptr, 10);
    while (buffer_.size() < size && fill()) {
    }
    message.whole = buffer_.size() >= size;
    message.body = take(size);
  } else if (response && message.status() != 204 && message.status() != 304) {
    while (fill()) {
    }
    message.body = take(buffer_.size());
    message.whole = true;
  } else {
    message.whole = true;
  }
  return message;
}

std::optional<Message> MessageReader::read_request() { return read(false); }
std::optional<Message> MessageReader::read_response() { return read(true); }

}  // namespace berth::scenario
