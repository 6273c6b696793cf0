#include "net/stream.h"

#include <boost/asio/write.hpp>
#include <utility>

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

}  // namespace

Stream::Stream(Socket socket) : transport_(std::move(socket)) {}

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
  if (auto* plain = std::get_if<Socket>(&transport_)) {
    plain->async_read_some(buffer, std::move(done));
    return;
  }
  const auto& tls = std::get<1>(transport_);
  tls->async_read_some(
      buffer, [keep = tls, done = std::move(done)](error_code ec, std::size_t n) { done(ec, n); });
}

Task<IoResult> Stream::write_all(std::span<const asio::const_buffer> pieces) {
  IoResult result;
  if (auto* plain = std::get_if<Socket>(&transport_)) {
    auto [ec, n] = co_await asio::async_write(*plain, pieces, use_tuple);
    result = {ec, n};
  } else {
    const auto tls = std::get<1>(transport_);
    auto [ec, n] = co_await asio::async_write(*tls, pieces, use_tuple);
    result = {ec, n};
  }
  co_return result;
}

void Stream::close() noexcept {
  error_code ignored;
  socket().close(ignored);
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
