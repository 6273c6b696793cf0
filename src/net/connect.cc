#include "net/connect.h"

#include <fmt/format.h>

#include <boost/asio/this_coro.hpp>
#include <utility>

#include "net/address.h"
#include "net/connect_first.h"
#include "net/deadline.h"
#include "net/resolve.h"
#include "net/tls.h"

namespace berth::net {
namespace {

bool aborted(const Abort* abort) { return abort != nullptr && abort->aborted(); }

tl::unexpected<Error> given_up(const std::string& where) {
  return fail(ErrorCode::kClientGone, fmt::format("gave up connecting to {}", where));
}

tl::unexpected<Error> timed_out(const std::string& where, Duration timeout,
                                std::string_view doing) {
  return fail(ErrorCode::kConnectTimeout,
              fmt::format("cannot connect to {}: {} took longer than {:g} s", where, doing,
                          to_seconds(timeout)));
}

// Out of descriptors, ports or memory here: no word about the other side.
bool is_ours(error_code ec) {
  return ec == asio::error::no_descriptors || ec == asio::error::no_buffer_space ||
         ec == asio::error::no_memory || ec == boost::system::errc::too_many_files_open_in_system ||
         ec == boost::system::errc::address_not_available;
}

}  // namespace

Task<Result<Stream>> connect(ConnectTarget target, Duration timeout, Abort* abort) {
  const auto executor = co_await asio::this_coro::executor;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const auto where = join_host_port(target.host, target.port);

  auto resolved = co_await resolve(target.host, target.port, deadline, abort);
  if (aborted(abort)) co_return given_up(where);
  if (resolved.error == asio::error::timed_out)
    co_return timed_out(where, timeout, "resolving the name");
  if (resolved.error) {
    co_return fail(ErrorCode::kConnectFailed,
                   fmt::format("cannot connect to {}: the host name does not resolve: {}", where,
                               resolved.error.message()));
  }

  auto connected = co_await connect_first(std::move(resolved.endpoints), deadline, abort);
  if (aborted(abort)) co_return given_up(where);
  if (connected.error == asio::error::timed_out)
    co_return timed_out(where, timeout, "the TCP connection");
  if (connected.error) {
    const auto code = is_ours(connected.error) ? ErrorCode::kOverloaded : ErrorCode::kConnectFailed;
    co_return fail(code, fmt::format("cannot connect to {}: {}", where, connected.error.message()));
  }
  if (target.tls == nullptr) co_return Stream(std::move(*connected.socket));

  Stream stream(std::move(*connected.socket), *target.tls);
  const auto stop = [&stream] { stream.close(); };
  const AbortScope scope(abort, stop);
  Deadline bound(executor, stop);
  bound.expires_at(deadline);
  const auto ec = co_await stream.handshake_as_client(target.host);
  if (aborted(abort)) co_return given_up(where);
  if (bound.expired()) co_return timed_out(where, timeout, "the TLS handshake");
  if (ec) {
    co_return fail(ErrorCode::kTlsFailed,
                   fmt::format("TLS with {} failed: {}", where, describe_tls_error(stream, ec)));
  }
  co_return std::move(stream);
}

}  // namespace berth::net
