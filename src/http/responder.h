// The server's side of one exchange: writes a handler's answer to the client's connection.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http/head_writer.h"
#include "http/request_reader.h"
#include "http/server.h"
#include "net/stream.h"

namespace berth::http {

// Owner: the connection's coroutine, for one request. `stream`, `reader` and `head` outlive it.
class ConnectionResponder final : public Responder {
 public:
  // `closing`: this is the connection's last response.
  ConnectionResponder(net::Stream& stream, RequestReader& reader, const RequestHead& head,
                      bool closing);

  net::Task<bool> reply(int status, std::string content_type, std::string body,
                        ExtraHeaders extra) override;
  net::Task<bool> start(int status, std::string content_type, ExtraHeaders extra) override;
  net::Task<bool> write(std::string chunk) override;
  net::Task<bool> finish() override;
  void abort() override;
  void on_gone(std::function<void()> callback) override;

  bool answered() const { return state_ != State::kFresh; }
  // The response is whole and the client may send another request.
  bool may_continue() const { return state_ == State::kDone && framing_.keep_alive; }

 private:
  enum class State { kFresh, kStarted, kDone, kBroken };

  std::string head_bytes(int status, const std::string& content_type,
                         const ExtraHeaders& extra) const;
  net::Task<bool> send(std::span<const net::asio::const_buffer> pieces);

  net::Stream& stream_;
  RequestReader& reader_;
  const RequestHead& head_;
  bool closing_;
  ResponseFraming framing_;
  State state_ = State::kFresh;
};

// {"error":{"code":...,"message":...}}
std::string error_body(const Error& error);

}  // namespace berth::http
