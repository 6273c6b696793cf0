// Reads requests from a client connection: head, strict framing, body. Keeps one read outstanding at all
// times, so that a client that leaves is noticed at once, also while its answer is being waited for.
//
// Owner: the connection's coroutine. Thread: the stream's. The views of a RequestHead live until the next
// call of next_head().
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/head.h"
#include "net/stream.h"

namespace berth::http {

struct ReaderLimits {
  std::size_t head_bytes = 64 * 1024;
  std::size_t body_bytes = 64 * 1024 * 1024;
  Duration idle{std::chrono::seconds(75)};   // between requests
  Duration head{std::chrono::seconds(10)};   // from a request's first byte to the end of its head
  Duration body{std::chrono::seconds(60)};   // without a byte of the body
};

class RequestReader {
 public:
  // `stream` must outlive the reader.
  RequestReader(net::Stream& stream, ReaderLimits limits);
  ~RequestReader();

  // Waits for and parses the next head. kClientGone: clean end between requests. Any framing doubt is
  // kBadRequest (or kUnsupported for an HTTP/2 preface) and the connection must be closed after the answer.
  net::Task<Result<RequestHead>> next_head();

  // Reads the whole body of the head just parsed, decoded, into `body`, which is given at least `padding`
  // spare bytes of capacity after its end. Sends `100 Continue` first where the client waits for it.
  net::Task<Result<void>> read_body(std::string& body, std::size_t padding);

  // While set, called once if the client goes away (EOF, reset). Bytes of a pipelined next request are kept
  // (up to head_bytes) and do not count as leaving. Cleared by next_head() and by passing an empty function.
  void on_gone(std::function<void()> callback);
  bool gone() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with the outstanding read, which may end after the reader
};

}  // namespace berth::http
