// Reads one response out of bytes as they come from a server: head, then the decoded body. Pure: no
// I/O.
//
//   ResponseParser parser(limits, /*to_head=*/false);
//   while (!parser.complete()) {
//     read n bytes; spans.clear();
//     on EOF:   parser.finish()                 // an error when the response was not whole
//     else:     parser.feed(bytes, spans)       // write spans on, once parser.head_ready()
//   }
//   connection reusable: parser.reusable()
//
// Interim responses (1xx) are skipped. Errors are kUpstreamBadResponse (cannot be framed) and
// kUpstreamReset (closed before it was whole); after one the parser must not be used again.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "http/head.h"
#include "http/head_collector.h"
#include "http/push_parser.h"
#include "http/refusal.h"

namespace berth::http {

class ResponseParser {
 public:
  // `to_head`: the request was a HEAD, so the response has no body.
  ResponseParser(HeadLimits limits, bool to_head);
  ResponseParser(const ResponseParser&) = delete;  // head() has views into it
  ResponseParser& operator=(const ResponseParser&) = delete;

  // Takes all of `bytes`. Body pieces are appended to `out` and point into `bytes`.
  Result<void> feed(std::string_view bytes, BodySpans& out);
  // The server closed the connection in an orderly way.
  Result<void> finish();

  bool started() const { return started_; }  // a byte of it has come, interim responses included
  bool head_ready() const { return body_.has_value(); }
  // The views live as long as the parser. Valid after head_ready().
  const ResponseHead& head() const { return head_; }
  bool complete() const { return complete_; }
  // Bytes that came after the end. More than none: the server does not frame as it says; close the
  // connection.
  std::size_t surplus() const { return surplus_; }
  // The connection may carry another request.
  bool reusable() const { return complete_ && head_.keep_alive && surplus_ == 0; }

 private:
  Accepted<void> step(std::string_view& bytes, BodySpans& out);
  Accepted<void> accept_head();

  HeadCollector collector_;
  bool to_head_;
  bool started_ = false;
  bool complete_ = false;
  int interim_ = 0;  // 1xx responses skipped
  std::size_t surplus_ = 0;
  ResponseHead head_;
  std::optional<PushParser> body_;
};

}  // namespace berth::http
