#include "http/response_parser.h"

#include <fmt/format.h>

#include "http/framing.h"
#include "http/header_lines.h"
#include "http/start_line.h"

namespace berth::http {
namespace {

constexpr int kMaxInterim = 16;

Accepted<void> check_start_line(std::string_view line) {
  ResponseHead scratch;
  return parse_status_line(line, scratch);
}

constexpr Refusal kTooLarge{502, ErrorCode::kUpstreamBadResponse,
                            "the response head exceeds its limit of bytes or headers"};

tl::unexpected<Refusal> bad(std::string_view message) {
  return refuse(502, ErrorCode::kUpstreamBadResponse, message);
}

}  // namespace

ResponseParser::ResponseParser(HeadLimits limits, bool to_head)
    : collector_(limits, check_start_line, kTooLarge), to_head_(to_head) {}

Result<void> ResponseParser::feed(std::string_view bytes, BodySpans& out) {
  started_ = started_ || !bytes.empty();
  while (!bytes.empty() && !complete_) {
    if (auto stepped = step(bytes, out); !stepped) {
      return fail(
          ErrorCode::kUpstreamBadResponse,
          fmt::format("the server's response cannot be framed: {}", stepped.error().message));
    }
  }
  surplus_ += bytes.size();
  return {};
}

Accepted<void> ResponseParser::step(std::string_view& bytes, BodySpans& out) {
  if (!body_) {
    auto taken = collector_.take(bytes);
    if (!taken) return tl::unexpected(taken.error());
    bytes.remove_prefix(*taken);
    return collector_.complete() ? accept_head() : Accepted<void>{};
  }
  auto taken = body_->body(bytes, out);
  if (!taken) return tl::unexpected(taken.error());
  bytes.remove_prefix(*taken);
  complete_ = body_->done();
  return {};
}

Accepted<void> ResponseParser::accept_head() {
  const auto raw = collector_.raw();
  head_.headers.clear();
  if (auto line = parse_status_line(start_line(raw), head_); !line) return line;
  if (auto split = split_headers(raw, head_.headers); !split) return split;
  if (head_.status == 101) return bad("it switches protocols unasked");
  if (auto framed = frame_response(head_, to_head_); !framed) return framed;

  PushParser parser(PushParser::Kind::kResponse, to_head_);
  if (auto agreed = parser.head(raw, head_.framing, head_.content_length); !agreed) return agreed;
  if (head_.status < 200) {
    if (++interim_ > kMaxInterim) return bad("too many interim responses");
    collector_.reset();
    return {};
  }
  body_.emplace(std::move(parser));
  complete_ = body_->done();
  return {};
}

Result<void> ResponseParser::finish() {
  if (complete_) return {};
  if (!started_)
    return fail(ErrorCode::kUpstreamReset, "the server closed the connection without a response");
  if (!body_)
    return fail(ErrorCode::kUpstreamReset,
                "the server closed the connection within the response head");
  if (!body_->finish())
    return fail(ErrorCode::kUpstreamReset,
                "the server closed the connection within the response body");
  complete_ = true;
  return {};
}

}  // namespace berth::http
