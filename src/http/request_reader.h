// Reads requests from a client connection: head, strict framing, body. Keeps one read outstanding
// at all times, so that a client that leaves is noticed at once, also while its answer is being
// waited for.
//
// Owner: the connection's coroutine. Thread: the stream's. The views of a RequestHead live until
// the next call of next_head() or wait_for_request(). Only one of the coroutines may run at a time.
//
// A refusal is final: answer it with refusal_status(), then linger(), then close the stream.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "http/head.h"
#include "net/stream.h"

namespace berth::http {

struct ReaderLimits {
  std::size_t head_bytes = std::size_t{64} * 1024;
  std::size_t body_bytes = std::size_t{64} * 1024 * 1024;
  // What a client whose body is larger is told that it exceeds. Static storage.
  std::string_view body_limit = "limits.body_bytes";
  Duration idle{std::chrono::seconds(75)};  // between requests
  Duration head{std::chrono::seconds(10)};  // from a request's first byte to the end of its head
  Duration body{std::chrono::seconds(60)};  // without a byte of the body
  Duration whole_body{std::chrono::minutes(5)};  // from the end of the head to the end of the body
};

// Asked before a body takes more memory than was granted so far: may it take `bytes` in all?
using BodyGrant = std::function<bool(std::size_t bytes)>;

class RequestReader {
 public:
  // `stream` must outlive the reader.
  RequestReader(net::Stream& stream, ReaderLimits limits);
  ~RequestReader();

  // Counts from the next request on; between requests only.
  void set_limits(ReaderLimits limits);

  // Waits for the first byte of the next request, for limits.idle. False: the connection ended, or
  // its time passed, between requests, and there is nothing to answer. What the request is to be
  // read under can be decided after this; next_head() alone does both.
  net::Task<bool> wait_for_request();

  // Waits for and parses the next head. The body of the last one must have been read.
  //   kClientGone      the client left; between requests this is the clean end
  //   kRequestTimeout  limits.idle or limits.head passed
  //   kHeadTooLarge    limits.head_bytes, or more than 256 headers
  //   kBadRequest      any doubt about the framing
  //   kUnsupported     another HTTP version (an HTTP/2 preface too), a websocket, CONNECT, an
  //   unknown Expect
  net::Task<Result<RequestHead>> next_head();

  // Reads the whole body of the head just parsed, decoded, into `body`, which is given at least
  // `padding` spare bytes of capacity after its end. Sends `100 Continue` first where the client
  // waits for it.
  //   kBodyTooLarge    limits.body_bytes; known before a byte is read where Content-Length says so
  //   kOverloaded      `grant` said no
  //   kRequestTimeout  limits.body, limits.whole_body
  //   kClientGone, kBadRequest
  // `body` and `grant` must outlive the call; without a `grant` only the limit counts.
  net::Task<Result<void>> read_body(std::string& body, std::size_t padding,
                                    const BodyGrant* grant = nullptr);
  // The body of the last head was read to its end (or there is none): another request may follow.
  bool body_read() const;

  // The status to answer the last failed next_head() or read_body() with; 0 when there is nobody to
  // answer, or nothing to answer: the client left, or was idle between requests.
  int refusal_status() const;

  // While set, called once if the client goes away (EOF, reset); at once when it has gone already.
  // Bytes of a pipelined next request are kept (up to head_bytes; beyond that nothing more is read,
  // and leaving shows only in writes) and do not count as leaving. Cleared by next_head() and by
  // passing an empty function. The callback may close the stream; it must not destroy the reader.
  // Closing the stream from our side counts as leaving, too, while a callback is set.
  void on_gone(std::function<void()> callback);
  bool gone() const;

  // Before closing a connection that the client may still be sending on: ends the sending side,
  // then reads and drops what comes until the client closes, for `patience` at most. Otherwise its
  // unread bytes would make the kernel answer with a reset, which can destroy the answer on its way
  // (RFC 9112 section 9.6).
  net::Task<void> linger(Duration patience = std::chrono::seconds(2));

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::http
