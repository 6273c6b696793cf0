// A small HTTP/1.1 server for everything off the data path: the admin API and the simulated engine.
// The gateway's listener shares its parts (listener, RequestReader, head writer) but not this file.
//
// Threads: everything runs on the io_context given; handlers are coroutines on it. Connections keep
// what they need alive themselves: the Server may be destroyed (which stops it) while handlers
// still run, but what a handler refers to must live until the io_context has run them to their end.
//
// Malformed requests are answered here, as {"error":{"code","message"}}, and their connection is
// closed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/head.h"
#include "http/request_reader.h"
#include "net/types.h"

namespace boost::asio::ssl {
class context;
}

namespace berth::http {

struct Request {
  const RequestHead* head = nullptr;  // valid for the handler's life
  std::string body;                   // has 64 spare bytes of capacity for simdjson
  std::string peer;                   // "127.0.0.1:51234"
};

// What a handler answers with. Exactly one of reply() or start() is called, once; when a handler
// returns without either, 500 is sent. Every call returns false when the client is gone. The body
// of an answer to HEAD is left out by itself. An HTTP/1.0 client gets a started response until
// close instead of in chunks.
class Responder {
 public:
  using ExtraHeaders = std::vector<std::pair<std::string, std::string>>;
  virtual ~Responder() = default;
  // A whole response with Content-Length.
  virtual net::Task<bool> reply(int status, std::string content_type, std::string body,
                                ExtraHeaders extra = {}) = 0;
  // Starts a chunked response (an event stream); then write() as often as wanted, then finish().
  virtual net::Task<bool> start(int status, std::string content_type, ExtraHeaders extra = {}) = 0;
  virtual net::Task<bool> write(std::string chunk) = 0;  // false: the client is gone
  virtual net::Task<bool> finish() = 0;
  // Drops the connection without ending the response (a simulated crash).
  virtual void abort() = 0;
  // Called once if the client leaves before the response is complete.
  virtual void on_gone(std::function<void()> callback) = 0;
};

// `request` and `responder` live as long as the coroutine it returns. A response that was started
// but not finished when it ends drops the connection.
using Handler = std::function<net::Task<void>(Request& request, Responder& responder)>;

struct ServerOptions {
  ReaderLimits limits;
  std::size_t max_connections = 16384;           // more are closed at once
  std::shared_ptr<net::asio::ssl::context> tls;  // null: plain HTTP
};

class Server {
 public:
  // Binds at once; port 0 picks a free one. The io_context must outlive the server.
  static Result<std::unique_ptr<Server>> listen(net::asio::io_context& io, const std::string& host,
                                                std::uint16_t port, ReaderLimits limits,
                                                Handler handler);
  static Result<std::unique_ptr<Server>> listen(net::asio::io_context& io, const std::string& host,
                                                std::uint16_t port, ServerOptions options,
                                                Handler handler);
  virtual ~Server() = default;
  virtual std::uint16_t port() const = 0;
  // Open connections.
  virtual std::size_t connections() const = 0;
  // Stops accepting and closes every connection, whatever it is doing.
  virtual void stop() = 0;
  // Stops accepting, closes idle connections, and lets responses under way come to their end.
  virtual void drain() = 0;
};

}  // namespace berth::http
