#include "http/request_parser.h"

#include "http/framing.h"
#include "http/header_lines.h"
#include "http/start_line.h"

namespace berth::http {
namespace {

Accepted<void> check_start_line(std::string_view line) {
  RequestHead scratch;
  return parse_request_line(line, scratch);
}

constexpr Refusal kTooLarge{431, ErrorCode::kHeadTooLarge,
                            "the request head exceeds its limit of bytes or headers"};

}  // namespace

RequestParser::RequestParser(HeadLimits limits) : collector_(limits, check_start_line, kTooLarge) {}

Accepted<std::size_t> RequestParser::take_head(std::string_view in) {
  auto taken = collector_.take(in);
  if (!taken || !collector_.complete()) return taken;
  if (auto accepted = accept_head(); !accepted) return tl::unexpected(accepted.error());
  return taken;
}

Accepted<void> RequestParser::accept_head() {
  const auto raw = collector_.raw();
  if (auto line = parse_request_line(start_line(raw), head_); !line) return line;
  if (auto split = split_headers(raw, head_.headers); !split) return split;
  if (auto framed = frame_request(head_); !framed) return framed;
  PushParser parser(PushParser::Kind::kRequest, false);
  if (auto agreed = parser.head(raw, head_.framing, head_.content_length); !agreed) return agreed;
  body_.emplace(std::move(parser));
  return {};
}

Accepted<std::size_t> RequestParser::take_body(std::string_view in, BodySpans& out) {
  return body_->body(in, out);
}

void RequestParser::reset() {
  collector_.reset();
  body_.reset();
  head_.headers.clear();
  head_ = RequestHead{{}, {}, 1, std::move(head_.headers), BodyFraming::kNone, 0, true, false};
}

}  // namespace berth::http
