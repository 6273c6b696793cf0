// Two connected TCP sockets on 127.0.0.1, for tests.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <utility>

#include "net/types.h"

namespace berth::net {

// Both ends belong to `io`. Throws when the machine has no loopback.
inline std::pair<Socket, Socket> loopback_pair(asio::io_context& io) {
  asio::basic_socket_acceptor<tcp, Executor> acceptor(
      io.get_executor(), tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  Socket near(io.get_executor());
  near.connect(acceptor.local_endpoint());
  Socket far = acceptor.accept();
  return {std::move(near), std::move(far)};
}

}  // namespace berth::net
