#include "net/socket_options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

namespace berth::net {
namespace {

struct LossRules {
  int probe_after_s;  // of silence
  int probe_every_s;
  int probes;
  int unacknowledged_ms;
};

constexpr LossRules kOfServers{20, 10, 4, 60'000};
constexpr LossRules kOfClients{60, 15, 4, 120'000};

// Options are best effort: a connection without one of them still works.
void set_tcp_option(Socket& socket, int name, int value) noexcept {
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, name, &value, sizeof value);
}

void tune(Socket& socket, const LossRules& rules) noexcept {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  set_tcp_option(socket, TCP_KEEPIDLE, rules.probe_after_s);
  set_tcp_option(socket, TCP_KEEPINTVL, rules.probe_every_s);
  set_tcp_option(socket, TCP_KEEPCNT, rules.probes);
  set_tcp_option(socket, TCP_USER_TIMEOUT, rules.unacknowledged_ms);
}

}  // namespace

void tune_connected(Socket& socket) noexcept { tune(socket, kOfServers); }

void tune_accepted(Socket& socket) noexcept { tune(socket, kOfClients); }

}  // namespace berth::net
