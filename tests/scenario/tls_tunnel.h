// A relay of bytes with TLS on one of its sides: puts TLS in front of a scripted server, or behind
// a raw client, so that every script and every way of leaving can be tried over TLS.
//
// Its own event loop on its own thread. An end of the stream is passed on as close_notify and FIN,
// a reset as a connection cut without either.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <memory>
#include <thread>

#include "net/tls.h"

namespace berth::scenario {

class TlsTunnel {
 public:
  // Accepts TLS with `context`, made by make_server_context, and speaks plainly to `target`.
  static std::unique_ptr<TlsTunnel> before_server(std::uint16_t target, net::TlsContext context);
  // Accepts plain TCP and speaks TLS to `target` with `context`, made by make_client_context.
  static std::unique_ptr<TlsTunnel> behind_client(std::uint16_t target, net::TlsContext context);
  ~TlsTunnel();

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }  // on 127.0.0.1

 private:
  TlsTunnel(std::uint16_t target, net::TlsContext accepts, net::TlsContext dials);
  net::Task<void> accept();
  net::Task<void> connect(net::Socket accepted);

  net::asio::io_context io_{1};
  net::asio::basic_socket_acceptor<net::tcp, net::Executor> acceptor_;
  const net::tcp::endpoint target_;
  const net::TlsContext accepts_;  // null: plain
  const net::TlsContext dials_;    // null: plain
  std::thread thread_;
};

}  // namespace berth::scenario
