#include "gateway/worker.h"

#include <boost/asio/post.hpp>

#include "gateway/client_connection.h"
#include "net/address.h"
#include "net/spawn.h"

namespace berth::gateway {

Worker::Worker(SharedState& shared, Duration pool_sweep)
    : shared_(shared), pool_sweep_(pool_sweep), pool_timer_(io_) {}

Worker::~Worker() {
  stop();
  join();
}

Result<std::uint16_t> Worker::listen(const std::string& host, std::uint16_t port) {
  net::ListenOptions options;
  options.reuse_port = true;
  Result<net::Listener> listener = net::Listener::bind(io_, host, port, options);
  if (!listener) return tl::unexpected(listener.error());
  listener_.emplace(std::move(*listener));
  return listener_->port();
}

void Worker::start() {
  net::spawn(executor(), "accept",
             listener_->run([this](net::Socket socket, net::tcp::endpoint peer) {
               on_socket(std::move(socket), peer);
             }));
  net::spawn(executor(), "expire_pool", expire_pool());
  thread_ = std::thread([this] { io_.run(); });
}

void Worker::on_socket(net::Socket socket, const net::tcp::endpoint& peer) {
  if (stopped_) return;
  const net::TlsContext tls = shared_.live()->listener_tls;
  net::Stream stream = tls ? net::Stream(std::move(socket), *tls) : net::Stream(std::move(socket));
  net::spawn(executor(), "serve_connection",
             serve_connection(this, std::move(stream), net::to_string(peer), tls != nullptr));
}

net::Task<void> Worker::expire_pool() {
  for (;;) {
    pool_.set_most_idle(shared_.live()->config.limits.upstream_idle_connections);
    pool_timer_.expires_after(pool_sweep_);
    const auto [error] = co_await pool_timer_.async_wait(net::use_tuple);
    // An expiry that was queued when stop() cancelled the timer comes without an error.
    if (error || stopped_) co_return;
    pool_.expire(shared_.live()->config.timeouts.upstream_pool_idle, shared_.clock.now());
  }
}

void Worker::drain() {
  if (!thread_.joinable()) {  // it never accepted anything
    backlog_taken_ = true;
    return;
  }
  net::asio::post(io_, [this] {
    listener_->take_backlog([this](net::Socket socket, const net::tcp::endpoint& peer) {
      on_socket(std::move(socket), peer);
    });
    listener_->stop();
    for (ClientConnection* connection : connections_) connection->close_if_idle();
    backlog_taken_ = true;
  });
}

void Worker::stop() {
  net::asio::post(io_, [this] {
    stopped_ = true;
    if (listener_) listener_->stop();
    pool_timer_.cancel();
    pool_.clear();
    for (ClientConnection* connection : connections_) connection->close();
  });
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace berth::gateway
