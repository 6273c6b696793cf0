#include "net/stream.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "net/deadline.h"

namespace berth::net {
namespace {

// How long shutdown() waits for the peer's close_notify.
constexpr std::chrono::milliseconds kCloseNotifyWait{500};

// OpenSSL checks the certificate's names itself where it verifies, and reports a mismatch as such.
void expect_server_name(SSL* ssl, const std::string& name) {
  error_code not_literal;
  asio::ip::make_address(name, not_literal);
  if (!not_literal) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str());
    return;  // RFC 6066 section 3: SNI carries DNS names only
  }
  SSL_set_tlsext_host_name(ssl, name.c_str());
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  SSL_set1_host(ssl, name.c_str());
}

// What is left of `pieces` after `done` bytes of them.
std::vector<asio::const_buffer> rest_of(std::span<const asio::const_buffer> pieces,
                                        std::size_t done) {
  std::vector<asio::const_buffer> rest;
  for (asio::const_buffer piece : pieces) {
    const std::size_t skipped = std::min(done, piece.size());
    done -= skipped;
    piece += skipped;
    if (piece.size() > 0) rest.push_back(piece);
  }
  return rest;
}

// asio::async_write would hand over at most 16 pieces and 64 KiB at a time, and every one of its
// steps is a turn of the event loop.
template <typename Transport>
Task<IoResult> write_to(Transport* transport, std::span<const asio::const_buffer> pieces,
                        std::uint64_t* writes) {
  std::vector<asio::const_buffer> rest;
  std::size_t left = asio::buffer_size(pieces);
  IoResult result;
  while (left > 0 && !result.error) {
    std::size_t count = 0;
    result.error = asio::error::would_block;
    if constexpr (std::is_same_v<Transport, Socket>) {
      count = transport->write_some(pieces, result.error);
    }
    if (result.error == asio::error::would_block) {
      auto [ec, n] = co_await transport->async_write_some(pieces, use_tuple);
      result.error = ec;
      count = n;
    }
    ++*writes;
    result.bytes += count;
    left -= count;
    if (left == 0) break;
    rest = rest_of(pieces, count);
    pieces = rest;
  }
  co_return result;
}

}  // namespace

Stream::Stream(Socket socket) : transport_(std::move(socket)) {
  error_code ignored;  // a socket that is closed already says so at its first use
  std::get<Socket>(transport_).non_blocking(true, ignored);
}

Stream::Stream(Socket socket, asio::ssl::context& context)
    : transport_(std::make_shared<Tls>(std::move(socket), context)) {}

bool Stream::is_tls() const { return transport_.index() == 1; }

Socket& Stream::socket() {
  if (auto* plain = std::get_if<Socket>(&transport_)) return *plain;
  return std::get<1>(transport_)->next_layer();
}

SSL* Stream::tls_handle() { return is_tls() ? std::get<1>(transport_)->native_handle() : nullptr; }

Executor Stream::get_executor() { return socket().get_executor(); }

Task<error_code> Stream::handshake_as_server() {
  if (!is_tls()) co_return error_code{};
  const auto tls = std::get<1>(transport_);
  auto [ec] = co_await tls->async_handshake(Tls::server, use_tuple);
  co_return ec;
}

Task<error_code> Stream::handshake_as_client(std::string server_name) {
  if (!is_tls()) co_return error_code{};
  const auto tls = std::get<1>(transport_);
  if (!server_name.empty()) expect_server_name(tls->native_handle(), server_name);
  auto [ec] = co_await tls->async_handshake(Tls::client, use_tuple);
  co_return ec;
}

Task<IoResult> Stream::read_some(asio::mutable_buffer buffer) {
  ++reads_;
  IoResult result;
  if (auto* plain = std::get_if<Socket>(&transport_)) {
    auto [ec, n] = co_await plain->async_read_some(buffer, use_tuple);
    result = {ec, n};
  } else {
    const auto tls = std::get<1>(transport_);
    auto [ec, n] = co_await tls->async_read_some(buffer, use_tuple);
    result = {ec, n};
  }
  co_return result;
}

void Stream::read_some(asio::mutable_buffer buffer,
                       std::function<void(error_code, std::size_t)> done) {
  ++reads_;
  if (auto* plain = std::get_if<Socket>(&transport_)) {
    plain->async_read_some(buffer, std::move(done));
    return;
  }
  const auto& tls = std::get<1>(transport_);
  tls->async_read_some(
      buffer, [keep = tls, done = std::move(done)](error_code ec, std::size_t n) { done(ec, n); });
}

Task<IoResult> Stream::write_all(std::span<const asio::const_buffer> pieces) {
  if (auto* plain = std::get_if<Socket>(&transport_)) return write_to(plain, pieces, &writes_);
  return write_to(std::get<1>(transport_).get(), pieces, &writes_);
}

void Stream::close() noexcept {
  error_code ignored;
  socket().close(ignored);
}

void Stream::reset() noexcept {
  error_code ignored;
  socket().set_option(asio::socket_base::linger(true, 0), ignored);
  close();
}

void Stream::close_sending_side() noexcept {
  error_code ignored;
  socket().shutdown(Socket::shutdown_send, ignored);
}

Task<void> Stream::shutdown() {
  if (is_tls() && socket().is_open()) {
    const auto tls = std::get<1>(transport_);
    Deadline bound(get_executor(), [tls] {
      error_code ignored;
      tls->next_layer().close(ignored);
    });
    bound.expires_after(kCloseNotifyWait);
    co_await tls->async_shutdown(use_tuple);
  }
  close_sending_side();
  close();
}

}  // namespace berth::net
