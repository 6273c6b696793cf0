#include "scenario/blocking_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"

namespace berth::scenario {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool readable(int fd) {
  pollfd wanted{fd, POLLIN, 0};
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience).count();
  return ::poll(&wanted, 1, static_cast<int>(ms)) > 0;
}

}  // namespace

BlockingSocket::BlockingSocket(int fd) : fd_(fd) {
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

BlockingSocket::BlockingSocket(BlockingSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

BlockingSocket& BlockingSocket::operator=(BlockingSocket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

BlockingSocket::~BlockingSocket() { close(); }

BlockingSocket BlockingSocket::connect(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  BERTH_CHECK(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return BlockingSocket(fd);
}

bool BlockingSocket::refuses(std::uint16_t port) {
  const BlockingSocket probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  return ::connect(probe.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

BlockingSocket BlockingSocket::listen(std::uint16_t port, std::uint16_t& bound) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = loopback(port);
  BERTH_CHECK(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  BERTH_CHECK(::listen(fd, 128) == 0);
  socklen_t length = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  bound = ntohs(address.sin_port);
  BlockingSocket socket;
  socket.fd_ = fd;
  return socket;
}

std::optional<BlockingSocket> BlockingSocket::accept() {
  const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) return std::nullopt;
  return BlockingSocket(fd);
}

void BlockingSocket::set_backlog(int connections) { ::listen(fd_, connections); }

bool BlockingSocket::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string BlockingSocket::receive() {
  if (fd_ < 0 || !readable(fd_)) return {};
  std::array<char, 65536> buffer;
  const ssize_t n = ::recv(fd_, buffer.data(), buffer.size(), 0);
  was_reset_ = n < 0 && errno == ECONNRESET;
  return n > 0 ? std::string(buffer.data(), static_cast<std::size_t>(n)) : std::string();
}

bool BlockingSocket::peer_left() {
  if (fd_ < 0 || !readable(fd_)) return false;
  char byte = 0;
  return ::recv(fd_, &byte, 1, MSG_PEEK) <= 0;
}

void BlockingSocket::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void BlockingSocket::reset() {
  const linger hard{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close();
}

void BlockingSocket::half_close() {
  if (fd_ >= 0) ::shutdown(fd_, SHUT_WR);
}

void BlockingSocket::shut_down() {
  if (fd_ >= 0) ::shutdown(fd_, SHUT_RDWR);
}

}  // namespace berth::scenario
