// A byte stream to a peer: plain TCP, or TLS over it. The one type the data path reads and writes.
//
// Owner: the connection that made it. Thread: the io_context it was made on; no call from any
// other. A Stream must outlive every operation awaited on it. close() may be called at any time,
// from a deadline or an abort watch, and makes outstanding operations end with an error. The
// callback form of read_some is the exception: the Stream may be destroyed while such a read is
// outstanding, and the callback still comes.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "net/types.h"

namespace berth::net {

class Stream {
 public:
  using Tls = asio::ssl::stream<Socket>;

  explicit Stream(Socket socket);                      // plain
  Stream(Socket socket, asio::ssl::context& context);  // TLS, handshake still to do
  Stream(Stream&&) = default;

  // `server_name` non-empty: client side, with SNI and host name verification when the context
  // verifies.
  Task<error_code> handshake_as_server();
  Task<error_code> handshake_as_client(std::string server_name);

  // One read. 0 bytes come only with an error (eof included).
  Task<IoResult> read_some(asio::mutable_buffer buffer);
  // The same with a callback, for reads that outlive the coroutine that wants them (the abort
  // watch).
  void read_some(asio::mutable_buffer buffer, std::function<void(error_code, std::size_t)> done);
  // Writes all of the pieces, in order, as one vectored write as far as the kernel takes them, at
  // once where it can. At most 64 pieces a write.
  Task<IoResult> write_all(std::span<const asio::const_buffer> pieces);

  // Reads begun and writes made: how tests hold the data path to one write a read.
  std::uint64_t reads() const { return reads_; }
  std::uint64_t writes() const { return writes_; }

  bool is_tls() const;
  Socket& socket();
  // OpenSSL's view of the connection; null for a plain one.
  SSL* tls_handle();
  Executor get_executor();
  // Closes at once, without a TLS close_notify. Idempotent.
  void close() noexcept;
  // Closes at once and tells the peer that it was cut off (RST): for what ends with the connection
  // and is not whole.
  void reset() noexcept;
  // Closes the sending side politely (close_notify with a short bound, then FIN) and then closes.
  Task<void> shutdown();
  // Sends FIN and leaves the receiving side open, so that a peer which is still sending can read
  // our answer before its bytes meet a closed socket (RFC 9112 section 9.6).
  void close_sending_side() noexcept;

 private:
  // Shared so that a TLS read outlives the Stream: Asio's TLS operations refer to the stream they
  // run on.
  std::variant<Socket, std::shared_ptr<Tls>> transport_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
};

}  // namespace berth::net
