#include "http/head_writer.h"

#include <fmt/format.h>

#include "base/check.h"
#include "http/chars.h"
#include "http/status.h"

namespace berth::http {
namespace {

bool names(std::span<const std::string_view> list, std::string_view name) {
  for (const auto item : list) {
    if (iequals(item, name)) return true;
  }
  return false;
}

bool sets(const HeadEdits& edits, std::string_view name) {
  for (const auto& header : edits.set) {
    if (iequals(header.name, name)) return true;
  }
  return false;
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

// Host names the server of one hop (RFC 9112 section 3.2), so it is none of these.
void append_end_to_end(std::string& out, const Headers& headers, const HeadEdits& edits) {
  const HopByHop hop_by_hop(headers);
  for (const auto& header : headers) {
    if (hop_by_hop.covers(header.name)) continue;
    if (iequals(header.name, "expect") || iequals(header.name, "host")) continue;
    if (names(edits.drop, header.name) || sets(edits, header.name)) continue;
    append_header(out, header.name, header.value);
  }
}

void append_set(std::string& out, const HeadEdits& edits) {
  for (const auto& header : edits.set) {
    BERTH_CHECK(is_token(header.name) && is_header_value(header.value));
    append_header(out, header.name, header.value);
  }
}

void append_length(std::string& out, std::uint64_t length) {
  fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", length);
}

bool usually_has_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

void append_framing(std::string& out, const ResponseHead& head, const ResponseFraming& framing) {
  switch (framing.framing) {
    case BodyFraming::kNone:
      if (head.status >= 200 && head.status != 204 && head.headers.has("content-length")) {
        append_header(out, "Content-Length", head.headers.get("content-length"));
      }
      return;
    case BodyFraming::kContentLength:
      append_length(out, framing.content_length);
      return;
    case BodyFraming::kChunked:
      out.append("Transfer-Encoding: chunked\r\n");
      return;
    case BodyFraming::kUntilClose:
      return;
  }
}

void append_connection(std::string& out, const ResponseFraming& framing) {
  if (!framing.keep_alive || framing.framing == BodyFraming::kUntilClose) {
    out.append("Connection: close\r\n");
  } else if (framing.client_minor_version == 0) {
    out.append("Connection: keep-alive\r\n");
  }
}

}  // namespace

bool is_header_value(std::string_view value) noexcept {
  for (const char c : value) {
    if (is_forbidden_in_head(static_cast<unsigned char>(c))) return false;
  }
  return trim(value).size() == value.size();
}

void write_request_head(std::string& out, const RequestHead& head, std::string_view target,
                        std::string_view authority, std::uint64_t content_length,
                        const HeadEdits& edits) {
  out.append(head.method).append(" ").append(target).append(" HTTP/1.1\r\n");
  append_header(out, "Host", authority);
  append_end_to_end(out, head.headers, edits);
  append_set(out, edits);
  if (content_length > 0 || head.framing != BodyFraming::kNone || usually_has_body(head.method)) {
    append_length(out, content_length);
  }
  out.append("\r\n");
}

ResponseFraming streamed_framing(const RequestHead& request) noexcept {
  if (request.minor_version == 0) return {BodyFraming::kUntilClose, 0, false, 0};
  return {BodyFraming::kChunked, 0, request.keep_alive, request.minor_version};
}

ResponseFraming sized_framing(const RequestHead& request, std::uint64_t content_length) noexcept {
  return {BodyFraming::kContentLength, content_length, request.keep_alive, request.minor_version};
}

ResponseFraming framing_for_client(const RequestHead& request,
                                   const ResponseHead& response) noexcept {
  switch (response.framing) {
    case BodyFraming::kNone:
      return {BodyFraming::kNone, 0, request.keep_alive, request.minor_version};
    case BodyFraming::kContentLength:
      return sized_framing(request, response.content_length);
    case BodyFraming::kChunked:
    case BodyFraming::kUntilClose:
      break;
  }
  return streamed_framing(request);
}

void write_response_head(std::string& out, const ResponseHead& head, const ResponseFraming& framing,
                         const HeadEdits& edits) {
  const auto reason = head.reason.empty() ? reason_phrase(head.status) : head.reason;
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", head.status, reason);
  append_end_to_end(out, head.headers, edits);
  append_set(out, edits);
  append_framing(out, head, framing);
  append_connection(out, framing);
  out.append("\r\n");
}

}  // namespace berth::http
