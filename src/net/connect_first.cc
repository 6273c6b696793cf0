#include "net/connect_first.h"

#include <boost/asio/this_coro.hpp>
#include <utility>

#include "net/deadline.h"
#include "net/socket_options.h"

namespace berth::net {

Task<Connected> connect_first(std::vector<tcp::endpoint> endpoints, Instant deadline,
                              Abort* abort) {
  const auto executor = co_await asio::this_coro::executor;
  Connected result{asio::error::host_not_found, std::nullopt};
  Socket socket(executor);
  const auto stop = [&socket] {
    error_code ignored;
    socket.close(ignored);
  };
  const AbortScope scope(abort, stop);
  Deadline bound(executor, stop);
  auto left = static_cast<Duration::rep>(endpoints.size());
  for (const auto& endpoint : endpoints) {
    if (abort != nullptr && abort->aborted()) break;
    const Instant now = std::chrono::steady_clock::now();
    bound.expires_at(now + (deadline - now) / left--);
    socket = Socket(executor);
    auto [ec] = co_await socket.async_connect(endpoint, use_tuple);
    result.error = bound.expired() ? asio::error::timed_out : ec;
    if (bound.expired() || ec) continue;
    bound.cancel();
    tune_connected(socket);
    result.socket = std::move(socket);
    break;
  }
  co_return result;
}

}  // namespace berth::net
