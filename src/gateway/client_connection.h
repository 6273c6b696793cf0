// One client connection: reads requests one after another and runs an Exchange for each.
//
// Owner: the coroutine serve_connection, which registers it with its worker so that a drain or a
// stop can reach it. Thread: the worker's.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/worker.h"
#include "http/request_reader.h"
#include "net/stream.h"

namespace berth::gateway {

class ClientConnection {
 public:
  ClientConnection(Worker& worker, net::Stream stream, std::string peer,
                   const http::ReaderLimits& limits);
  ~ClientConnection();
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  net::Stream& stream() { return stream_; }
  http::RequestReader& reader() { return reader_; }
  const std::string& peer() const { return peer_; }

  // A drain closes a connection that waits for its next request; one at work ends after its
  // response.
  void set_busy(bool busy) { busy_ = busy; }
  void close_if_idle();
  // Closes the connection and tells the exchange under way, which may wait for its server and have
  // no read of the client outstanding.
  void close();
  void on_close(std::function<void()> callback) { on_close_ = std::move(callback); }

 private:
  Worker& worker_;
  net::Stream stream_;
  std::string peer_;
  http::RequestReader reader_;
  bool busy_ = false;
  std::function<void()> on_close_;
};

// Serves the connection until it ends. `tls` says whether the stream still has its server handshake
// to do.
net::Task<void> serve_connection(Worker* worker, net::Stream stream, std::string peer, bool tls);

}  // namespace berth::gateway
