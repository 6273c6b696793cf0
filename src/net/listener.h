// Accepts TCP connections on one address and hands the sockets over.
//
// Owner: a server; must outlive the coroutine run() (stop it and let the io_context run it to its
// end first, or destroy the io_context first). Thread: that of its io_context. Several listeners
// with `reuse_port` may share one port, one an io_context: the kernel spreads new connections over
// them.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <functional>
#include <string>

#include "base/result.h"
#include "net/types.h"

namespace berth::net {

struct ListenOptions {
  bool reuse_port = false;
  int backlog = 4096;  // the kernel caps it at net.core.somaxconn
};

class Listener {
 public:
  // `host` is an IP literal or a name (its first address is taken); port 0 picks a free one. kIo
  // with a sentence that names the address when it cannot be bound.
  static Result<Listener> bind(asio::io_context& io, const std::string& host, std::uint16_t port,
                               ListenOptions options = {});

  // Does nobody listen there? Listeners that share a port do not notice another process that shares
  // it, too, and each gets a part of the connections. Asks without listening, so no client is
  // turned away; `port` is not 0. The error is that of bind().
  static Result<void> check_free(asio::io_context& io, const std::string& host, std::uint16_t port);

  std::uint16_t port() const;
  tcp::endpoint endpoint() const;

  // Accepts until stop(). Accepted sockets are tuned (socket_options.h). When the machine is out of
  // file descriptors it waits a little and tries again, leaving clients in the backlog.
  Task<void> run(std::function<void(Socket, tcp::endpoint peer)> on_socket);

  // Hands over every connection that waits in the backlog now: closing the listening socket would
  // reset them, with the requests they may have sent.
  void take_backlog(const std::function<void(Socket, tcp::endpoint peer)>& on_socket);

  // Closes the listening socket; run() ends soon after. Idempotent.
  void stop() noexcept;

 private:
  using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
  explicit Listener(Acceptor acceptor) : acceptor_(std::move(acceptor)) {}

  Acceptor acceptor_;
};

}  // namespace berth::net
