// The bytes of a client connection, with one read outstanding at all times: what RequestReader
// parses from, and how a client's leaving is noticed while nobody waits for bytes.
//
// Shared by its owner and the outstanding read; after detach() the read ends unheard. Thread: the
// stream's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "net/stream.h"

namespace berth::http {

class ReadAhead : public std::enable_shared_from_this<ReadAhead> {
 public:
  enum class Event : std::uint8_t { kBytes, kEnded, kTimeout };

  // `keep_bytes`: how much is kept while nobody takes it; then reading stops until somebody does.
  ReadAhead(net::Stream& stream, std::size_t keep_bytes);
  void set_keep_bytes(std::size_t keep_bytes) { keep_bytes_ = keep_bytes; }

  // Bytes that have come and were not taken yet. The view lives until the next call of anything
  // here but available() and ended().
  std::string_view available() const;
  void take(std::size_t count);

  // Waits until there are bytes, the client has gone, or `deadline` passes. kBytes while there are
  // any, also when the client has gone already. `big`: a long body is coming, so read in large
  // pieces.
  net::Task<Event> wait(Instant deadline, bool big);
  // Keeps watching from here on: starts a read if none is outstanding.
  void watch();

  // EOF, a reset, or any other end of the receiving side.
  bool ended() const { return ended_; }
  // Called once when it ends; at once when it has.
  void on_end(std::function<void()> callback);
  // The owner or the stream goes away: the stream is not touched again.
  void detach();

 private:
  void start_read(bool big);
  void finish_read(net::error_code ec, std::size_t count);
  void keep_landed();
  void report_end();

  net::Stream* stream_;
  std::size_t keep_bytes_;
  net::Timer wake_;
  // Where the outstanding read puts its bytes. Small while idle, so that thousands of connections
  // are cheap.
  std::unique_ptr<char[]> landing_;
  std::size_t landing_size_ = 0;
  std::string_view landed_;  // in landing_, not taken yet; empty while a read is outstanding
  std::string kept_;         // came before landed_
  std::size_t kept_taken_ = 0;
  bool reading_ = false;
  bool waiting_ = false;
  bool ended_ = false;
  std::function<void()> on_end_;
};

}  // namespace berth::http
