#include "net/socket_options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

namespace berth::net {
namespace {

constexpr int kKeepAliveIdleSeconds = 60;
constexpr int kKeepAliveIntervalSeconds = 15;
constexpr int kKeepAliveProbes = 4;
constexpr int kUnacknowledgedMilliseconds = 120'000;

// Options are best effort: a connection without one of them still works.
void set_tcp_option(Socket& socket, int name, int value) noexcept {
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, name, &value, sizeof value);
}

}  // namespace

void tune_connected(Socket& socket) noexcept {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  set_tcp_option(socket, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  set_tcp_option(socket, TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  set_tcp_option(socket, TCP_KEEPCNT, kKeepAliveProbes);
}

void tune_accepted(Socket& socket) noexcept {
  tune_connected(socket);
  set_tcp_option(socket, TCP_USER_TIMEOUT, kUnacknowledgedMilliseconds);
}

}  // namespace berth::net
