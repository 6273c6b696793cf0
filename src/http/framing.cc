#include "http/framing.h"

#include <charconv>
#include <cstdint>

#include "http/chars.h"
#include "http/token_list.h"

namespace berth::http {
namespace {

// What the framing headers of either kind of message say.
struct Delimiters {
  BodyFraming framing = BodyFraming::kNone;
  std::uint64_t content_length = 0;
  std::string_view doubt;       // non-empty: why the message must be refused
  bool unknown_coding = false;  // the doubt is a transfer coding nobody here knows
};

Delimiters doubt(std::string_view why, bool unknown_coding = false) {
  return {BodyFraming::kNone, 0, why, unknown_coding};
}

Delimiters by_length(std::string_view value) {
  if (!is_digits(value)) return doubt("Content-Length is not a plain number");
  Delimiters found;
  found.framing = BodyFraming::kContentLength;
  const auto [end, ec] =
      std::from_chars(value.data(), value.data() + value.size(), found.content_length);
  if (ec != std::errc{}) return doubt("Content-Length is too large to be a number");
  return found;
}

Delimiters read_delimiters(const Headers& headers, int minor_version) {
  const auto lengths = headers.count("content-length");
  const auto codings = headers.count("transfer-encoding");
  if (lengths > 0 && codings > 0) return doubt("both Content-Length and Transfer-Encoding");
  if (lengths > 1) return doubt("more than one Content-Length");
  if (codings > 1) return doubt("more than one Transfer-Encoding");
  if (lengths == 1) return by_length(headers.get("content-length"));
  if (codings == 0) return {};
  if (minor_version < 1) return doubt("Transfer-Encoding in an HTTP/1.0 message");
  if (!iequals(headers.get("transfer-encoding"), "chunked")) {
    return doubt("the only Transfer-Encoding understood here is a single `chunked`", true);
  }
  Delimiters chunked;
  chunked.framing = BodyFraming::kChunked;
  return chunked;
}

bool keeps_alive(const Headers& headers, int minor_version) {
  bool keep = minor_version >= 1;
  for (const auto& header : headers) {
    if (!iequals(header.name, "connection")) continue;
    if (list_contains(header.value, "close")) return false;
    if (list_contains(header.value, "keep-alive")) keep = true;
  }
  return keep;
}

// The characters of host, port and IP literals (RFC 3986 section 3.2.2).
bool is_host(std::string_view value) {
  if (value.empty()) return false;
  for (const char c : value) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain && std::string_view("-._~%!$&'()*+;=:[]").find(c) == std::string_view::npos)
      return false;
  }
  return true;
}

Accepted<void> check_host(const RequestHead& head) {
  const auto hosts = head.headers.count("host");
  if (hosts > 1) return refuse("more than one Host");
  if (hosts == 0) {
    if (head.minor_version == 0) return {};
    return refuse("no Host");
  }
  if (!is_host(head.headers.get("host")))
    return refuse("Host is not a host name with an optional port");
  return {};
}

Accepted<void> check_expect(RequestHead& head) {
  for (const auto& header : head.headers) {
    if (!iequals(header.name, "expect")) continue;
    if (!iequals(header.value, "100-continue")) {
      return refuse(417, ErrorCode::kUnsupported,
                    "the only Expect understood here is 100-continue");
    }
    // RFC 9110 section 10.1.1: from an HTTP/1.0 client it is ignored.
    head.expect_continue = head.minor_version >= 1;
  }
  return {};
}

Accepted<void> check_upgrade(const Headers& headers) {
  for (const auto& header : headers) {
    if (iequals(header.name, "upgrade") && list_contains(header.value, "websocket")) {
      return refuse(501, ErrorCode::kUnsupported,
                    "WebSocket is not spoken here: use HTTP/1.1 and event streams");
    }
  }
  return {};
}

bool has_no_body(int status, bool to_head) {
  return to_head || status / 100 == 1 || status == 204 || status == 304;
}

}  // namespace

Accepted<void> frame_request(RequestHead& head) {
  if (auto host = check_host(head); !host) return host;
  const auto found = read_delimiters(head.headers, head.minor_version);
  if (!found.doubt.empty()) {
    return refuse(found.unknown_coding ? 501 : 400, ErrorCode::kBadRequest, found.doubt);
  }
  head.framing = found.framing;
  head.content_length = found.content_length;
  head.keep_alive = keeps_alive(head.headers, head.minor_version);
  if (auto upgrade = check_upgrade(head.headers); !upgrade) return upgrade;
  return check_expect(head);
}

Accepted<void> frame_response(ResponseHead& head, bool to_head) {
  const auto found = read_delimiters(head.headers, head.minor_version);
  if (!found.doubt.empty()) return refuse(502, ErrorCode::kUpstreamBadResponse, found.doubt);
  head.keep_alive = keeps_alive(head.headers, head.minor_version);
  head.content_length = found.content_length;
  head.framing = found.framing == BodyFraming::kNone ? BodyFraming::kUntilClose : found.framing;
  if (has_no_body(head.status, to_head)) head.framing = BodyFraming::kNone;
  if (head.framing == BodyFraming::kUntilClose) head.keep_alive = false;
  return {};
}

}  // namespace berth::http
