// A connection to a server while one exchange owns it: the stream, a read buffer, and at most one
// outstanding read whose end wakes the exchange.
//
// The read outlives the coroutine that wants it: a keep-alive falls due, or the client leaves,
// while it is still out. So the connection is shared with the read's callback, and closing it is
// always safe. Thread: the worker's.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gateway/upstream_server.h"
#include "gateway/wakeup.h"
#include "net/stream.h"

namespace berth::gateway {

class UpstreamConnection : public std::enable_shared_from_this<UpstreamConnection> {
 public:
  UpstreamConnection(net::Stream stream, std::shared_ptr<UpstreamServer> server);

  net::Stream& stream() { return stream_; }
  const std::shared_ptr<UpstreamServer>& server() const { return server_; }

  // Starts a read unless one is out; `wakeup` is notified when it ends and must outlive it or be
  // detached.
  void start_read(Wakeup* wakeup);
  void detach() { wakeup_ = nullptr; }
  bool read_ended() const { return ended_; }
  // The result of the ended read; clears it.
  net::IoResult take_result();
  // What the last read brought. Valid until the next start_read().
  std::string_view data() const { return {buffer_.data(), bytes_}; }
  void close() { stream_.close(); }

  Instant idle_since{};  // set by the pool
  bool reused = false;   // it served a request before this one

 private:
  static constexpr std::size_t kBufferBytes = 32 * 1024;

  net::Stream stream_;
  std::shared_ptr<UpstreamServer> server_;
  std::vector<char> buffer_;
  std::size_t bytes_ = 0;
  net::error_code error_;
  bool reading_ = false;
  bool ended_ = false;
  Wakeup* wakeup_ = nullptr;
};

}  // namespace berth::gateway
