#include "http/server.h"

#include <array>
#include <exception>
#include <set>
#include <utility>

#include "http/head_writer.h"
#include "http/responder.h"
#include "net/address.h"
#include "net/deadline.h"
#include "net/listener.h"
#include "net/spawn.h"
#include "net/stream.h"

namespace berth::http {
namespace {

constexpr std::size_t kBodyPadding = 64;  // simdjson reads past the end (SIMDJSON_PADDING)

struct Connection;

// What the server, its accept loop and its connections share.
struct Core : std::enable_shared_from_this<Core> {
  Core(net::Listener l, ServerOptions o, Handler h)
      : listener(std::move(l)), options(std::move(o)), handler(std::move(h)) {}
  net::Listener listener;
  ServerOptions options;
  Handler handler;
  std::set<Connection*> connections;
  bool stopping = false;
};

// Owned by the coroutine that serves it.
struct Connection {
  Connection(std::shared_ptr<Core> c, net::Stream s, std::string p)
      : core(std::move(c)), stream(std::move(s)), peer(std::move(p)) {
    core->connections.insert(this);
  }
  ~Connection() { core->connections.erase(this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::shared_ptr<Core> core;
  net::Stream stream;
  std::string peer;
  bool busy = false;  // a request is being answered
};

// Handlers are outside code: an exception of theirs costs one response, not the process.
net::Task<void> run_handler(Core* core, Request* request, ConnectionResponder* responder) {
  bool threw = false;
  try {
    co_await core->handler(*request, *responder);
  } catch (const std::exception&) {
    threw = true;
  }
  if (!responder->answered()) {
    const Error error{ErrorCode::kInternal,
                      threw ? "the handler failed" : "the handler gave no answer"};
    std::string body = error_body(error);
    Responder::ExtraHeaders none;
    co_await responder->reply(500, "application/json", std::move(body), std::move(none));
  }
}

net::Task<void> answer_refusal(Connection* connection, RequestReader* reader, Error error) {
  const int status = reader->refusal_status();
  if (status == 0) co_return;
  const RequestHead unknown;
  ConnectionResponder responder(connection->stream, *reader, unknown, true);
  std::string body = error_body(error);
  Responder::ExtraHeaders none;
  co_await responder.reply(status, "application/json", std::move(body), std::move(none));
  co_await reader->linger();
}

// Serves one request. False when it was the connection's last.
net::Task<bool> serve_one(Connection* connection, RequestReader* reader) {
  connection->busy = false;
  auto head = co_await reader->next_head();
  if (!head) {
    co_await answer_refusal(connection, reader, std::move(head.error()));
    co_return false;
  }
  connection->busy = true;
  Request request;
  request.head = &*head;
  request.peer = connection->peer;
  auto body = co_await reader->read_body(request.body, kBodyPadding);
  if (!body) {
    co_await answer_refusal(connection, reader, std::move(body.error()));
    co_return false;
  }
  ConnectionResponder responder(connection->stream, *reader, *head, connection->core->stopping);
  co_await run_handler(connection->core.get(), &request, &responder);
  reader->on_gone(nullptr);
  co_return responder.may_continue();
}

net::Task<bool> handshake(Connection* connection) {
  auto* stream = &connection->stream;
  net::Deadline bound(stream->get_executor(), [stream] { stream->close(); });
  bound.expires_after(connection->core->options.limits.head);
  const auto ec = co_await stream->handshake_as_server();
  co_return !ec;
}

net::Task<void> serve(std::unique_ptr<Connection> connection) {
  bool open = co_await handshake(connection.get());
  if (open) {
    RequestReader reader(connection->stream, connection->core->options.limits);
    while (open && !connection->core->stopping)
      open = co_await serve_one(connection.get(), &reader);
  }
  co_await connection->stream.shutdown();
}

void start_serving(Core& core, net::Socket socket, const net::tcp::endpoint& peer) {
  if (core.connections.size() >= core.options.max_connections) return;
  const auto executor = socket.get_executor();
  auto stream = core.options.tls ? net::Stream(std::move(socket), *core.options.tls)
                                 : net::Stream(std::move(socket));
  auto connection = std::make_unique<Connection>(core.shared_from_this(), std::move(stream),
                                                 net::to_string(peer));
  net::spawn(executor, "serve", serve(std::move(connection)));
}

net::Task<void> accept(std::shared_ptr<Core> core) {
  auto* raw = core.get();
  std::function<void(net::Socket, net::tcp::endpoint)> on_socket =
      [raw](net::Socket socket, const net::tcp::endpoint& peer) {
        start_serving(*raw, std::move(socket), peer);
      };
  co_await core->listener.run(std::move(on_socket));
}

class ServerImpl final : public Server {
 public:
  explicit ServerImpl(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  ~ServerImpl() override { close_all(false); }
  std::uint16_t port() const override { return core_->listener.port(); }
  std::size_t connections() const override { return core_->connections.size(); }
  void stop() override { close_all(false); }
  void drain() override { close_all(true); }

 private:
  void close_all(bool only_idle) {
    core_->stopping = true;
    core_->listener.stop();
    for (auto* connection : core_->connections) {
      if (!only_idle || !connection->busy) connection->stream.close();
    }
  }

  std::shared_ptr<Core> core_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::listen(net::asio::io_context& io, const std::string& host,
                                               std::uint16_t port, ServerOptions options,
                                               Handler handler) {
  auto listener = net::Listener::bind(io, host, port);
  if (!listener) return tl::unexpected(listener.error());
  auto core = std::make_shared<Core>(std::move(*listener), std::move(options), std::move(handler));
  net::spawn(io.get_executor(), "accept", accept(core));
  return std::make_unique<ServerImpl>(std::move(core));
}

Result<std::unique_ptr<Server>> Server::listen(net::asio::io_context& io, const std::string& host,
                                               std::uint16_t port, ReaderLimits limits,
                                               Handler handler) {
  ServerOptions options;
  options.limits = limits;
  return listen(io, host, port, std::move(options), std::move(handler));
}

}  // namespace berth::http
