// One worker: a thread with its own event loop, listener and upstream pool. A connection lives its
// whole life on the worker that accepted it; workers share nothing but SharedState.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "gateway/shared_state.h"
#include "gateway/upstream_pool.h"
#include "net/listener.h"
#include "net/stream.h"
#include "net/types.h"

namespace berth::gateway {

class ClientConnection;

class Worker {
 public:
  static constexpr Duration kPoolSweep = std::chrono::seconds(1);

  // Every `pool_sweep` the pool drops what was idle for too long.
  explicit Worker(SharedState& shared, Duration pool_sweep = kPoolSweep);
  ~Worker();

  // Binds; port 0 picks one. Several workers bind the same port (SO_REUSEPORT).
  Result<std::uint16_t> listen(const std::string& host, std::uint16_t port);
  void start();
  // Any thread. Takes what waits in the backlog, stops accepting and closes idle connections; busy
  // ones end after their response.
  void drain();
  // Any thread. After drain(): what waited is counted in SharedState::requests.
  bool backlog_taken() const { return backlog_taken_.load(); }
  // Any thread. Closes the listener, the pool and every connection; the loop ends when their
  // coroutines have. join() afterwards.
  void stop();
  void join();

  // For exchanges, on the worker's thread.
  SharedState& shared() { return shared_; }
  UpstreamPool& pool() { return pool_; }
  net::Executor executor() { return io_.get_executor(); }
  void add(ClientConnection* connection) { connections_.insert(connection); }
  void remove(ClientConnection* connection) { connections_.erase(connection); }

 private:
  void on_socket(net::Socket socket, const net::tcp::endpoint& peer);
  net::Task<void> expire_pool();

  SharedState& shared_;
  const Duration pool_sweep_;
  net::asio::io_context io_{1};
  std::optional<net::Listener> listener_;
  UpstreamPool pool_;
  net::Timer pool_timer_;
  std::set<ClientConnection*> connections_;
  bool stopped_ = false;  // on the worker's thread
  std::atomic<bool> backlog_taken_{false};
  std::thread thread_;
};

}  // namespace berth::gateway
