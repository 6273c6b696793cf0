// Reads one request after another out of bytes: strict head, then the decoded body. Pure: no I/O,
// no clock.
//
// The views of head() live until reset(). A refusal is final: the connection must be closed.
#pragma once

#include <optional>
#include <string_view>

#include "http/head.h"
#include "http/head_collector.h"
#include "http/push_parser.h"
#include "http/refusal.h"

namespace berth::http {

class RequestParser {
 public:
  explicit RequestParser(HeadLimits limits);
  RequestParser(const RequestParser&) = delete;  // head() has views into it
  RequestParser& operator=(const RequestParser&) = delete;

  void set_limits(HeadLimits limits) { collector_.set_limits(limits); }

  // Takes bytes of the head; returns how many. Fewer than given means that the head is complete and
  // the rest belongs to the body or to the next request.
  Accepted<std::size_t> take_head(std::string_view in);
  bool head_started() const { return !collector_.empty(); }
  bool head_complete() const { return body_.has_value(); }
  const RequestHead& head() const { return head_; }  // after head_complete()

  // Decodes body bytes into `out`; returns how many were taken. Fewer than given means complete().
  Accepted<std::size_t> take_body(std::string_view in, BodySpans& out);
  bool complete() const { return body_ && body_->done(); }

  // Forgets the request; the next bytes begin a new head.
  void reset();

 private:
  Accepted<void> accept_head();

  HeadCollector collector_;
  RequestHead head_;
  std::optional<PushParser> body_;
};

}  // namespace berth::http
