#include "net/listener.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/ip/basic_resolver.hpp>
#include <utility>

#include "net/address.h"
#include "net/socket_options.h"

namespace berth::net {
namespace {

// Out of file descriptors or memory: long enough to not spin, short enough to not be felt.
constexpr std::chrono::milliseconds kAcceptPause{50};

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

Result<tcp::endpoint> resolve_local(asio::io_context& io, const std::string& host,
                                    std::uint16_t port) {
  error_code ec;
  const auto address = asio::ip::make_address(host, ec);
  if (!ec) return tcp::endpoint(address, port);
  asio::ip::basic_resolver<tcp, Executor> resolver(io.get_executor());
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, ec);
  if (ec || found.empty()) {
    return fail(ErrorCode::kIo,
                fmt::format("cannot listen on {}: the host name does not resolve: {}",
                            join_host_port(host, port), ec.message()));
  }
  return found.begin()->endpoint();
}

std::string bind_failure(const std::string& host, std::uint16_t port, error_code ec) {
  std::string hint;
  if (ec == asio::error::address_in_use) {
    hint = "another process listens there; stop it or choose another port";
  } else if (ec == asio::error::access_denied) {
    hint = "ports below 1024 need the capability CAP_NET_BIND_SERVICE";
  } else if (ec == boost::system::errc::address_not_available) {
    hint = "no interface of this machine has that address";
  }
  const auto where = join_host_port(host, port);
  if (hint.empty()) return fmt::format("cannot listen on {}: {}", where, ec.message());
  return fmt::format("cannot listen on {}: {} ({})", where, ec.message(), hint);
}

bool is_fatal_for_listener(error_code ec) {
  return ec == asio::error::operation_aborted || ec == asio::error::bad_descriptor;
}

bool is_shortage(error_code ec) {
  using boost::system::errc::errc_t;
  return ec == errc_t::too_many_files_open || ec == errc_t::too_many_files_open_in_system ||
         ec == errc_t::no_buffer_space || ec == errc_t::not_enough_memory;
}

}  // namespace

Result<Listener> Listener::bind(asio::io_context& io, const std::string& host, std::uint16_t port,
                                ListenOptions options) {
  auto where = resolve_local(io, host, port);
  if (!where) return tl::unexpected(where.error());

  Acceptor acceptor(io.get_executor());
  error_code ec;
  acceptor.open(where->protocol(), ec);
  if (!ec) acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec && options.reuse_port) acceptor.set_option(ReusePort(true), ec);
  if (!ec) acceptor.bind(*where, ec);
  if (!ec) acceptor.listen(options.backlog, ec);
  if (ec) return fail(ErrorCode::kIo, bind_failure(host, port, ec));
  return Listener(std::move(acceptor));
}

Result<void> Listener::check_free(asio::io_context& io, const std::string& host,
                                  std::uint16_t port) {
  auto where = resolve_local(io, host, port);
  if (!where) return tl::unexpected(where.error());
  Acceptor acceptor(io.get_executor());
  error_code ec;
  acceptor.open(where->protocol(), ec);
  if (!ec) acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec) acceptor.bind(*where, ec);
  if (ec) return fail(ErrorCode::kIo, bind_failure(host, port, ec));
  return {};
}

tcp::endpoint Listener::endpoint() const {
  error_code ec;
  return acceptor_.local_endpoint(ec);
}

std::uint16_t Listener::port() const { return endpoint().port(); }

Task<void> Listener::run(std::function<void(Socket, tcp::endpoint peer)> on_socket) {
  const auto executor = acceptor_.get_executor();
  Timer pause(executor);
  while (acceptor_.is_open()) {
    Socket socket(executor);
    tcp::endpoint peer;
    auto [ec] = co_await acceptor_.async_accept(socket, peer, use_tuple);
    if (!ec) {
      tune_accepted(socket);
      on_socket(std::move(socket), peer);
    } else if (is_fatal_for_listener(ec)) {
      co_return;
    } else if (is_shortage(ec)) {
      pause.expires_after(kAcceptPause);
      co_await pause.async_wait(use_tuple);
    }  // anything else concerns only the connection that came and went
  }
}

void Listener::take_backlog(const std::function<void(Socket, tcp::endpoint)>& on_socket) {
  error_code ec;
  acceptor_.non_blocking(true, ec);
  while (!ec) {
    Socket socket(acceptor_.get_executor());
    tcp::endpoint peer;
    acceptor_.accept(socket, peer, ec);
    if (ec == asio::error::connection_aborted) {  // came and went
      ec.clear();
      continue;
    }
    if (ec) return;
    tune_accepted(socket);
    on_socket(std::move(socket), peer);
  }
}

void Listener::stop() noexcept {
  error_code ignored;
  acceptor_.close(ignored);
}

}  // namespace berth::net
