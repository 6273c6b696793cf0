#include "net/acked_bytes.h"

// Not <netinet/tcp.h>, whose tcp_info ends before this count; the two exclude each other.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>

namespace berth::net {

std::uint64_t acked_bytes(int socket) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  constexpr std::size_t kNeeded = offsetof(tcp_info, tcpi_bytes_acked) + sizeof(std::uint64_t);
  return size < kNeeded ? 0 : info.tcpi_bytes_acked;
}

}  // namespace berth::net
