// Writes heads: what came end to end goes on byte for byte, in its order; what concerned one
// connection is left out; the framing is our own, and there is exactly one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/head.h"

namespace berth::http {

// What the caller changes in a head. Names match whatever their case.
struct HeadEdits {
  std::span<const std::string_view> drop = {};  // left out
  std::span<const Header> set = {};             // written once each, in place of any the peer sent
};

// True for what may follow a header's name. HeadEdits::set must hold only such values (checked):
// configuration is validated with this when it is read.
bool is_header_value(std::string_view value) noexcept;

// Appends the head of the request that goes to a server. `target` is what to ask for (the client's,
// unless a prefix is put before it). `authority` is written as Host in place of the client's, which
// names us: a server behind a name-based proxy is found by its own name only. Expect is left out:
// the body is here already. Content-Length is written where the client sent a body, where
// `content_length` is not 0, and for POST, PUT and PATCH. The version is always 1.1.
void write_request_head(std::string& out, const RequestHead& head, std::string_view target,
                        std::string_view authority, std::uint64_t content_length,
                        const HeadEdits& edits);

// How a response's body is delimited towards the client.
struct ResponseFraming {
  BodyFraming framing = BodyFraming::kNone;
  std::uint64_t content_length = 0;
  bool keep_alive = true;
  int client_minor_version = 1;
};

// Passes a server's response on: length stays length; chunked and until-close become chunked, or
// until-close for an HTTP/1.0 client, which knows no chunks.
ResponseFraming framing_for_client(const RequestHead& request,
                                   const ResponseHead& response) noexcept;

// A body of unknown length that Berth makes itself.
ResponseFraming streamed_framing(const RequestHead& request) noexcept;
// A whole body that Berth makes itself. Towards HEAD the length is told and the caller sends no
// body.
ResponseFraming sized_framing(const RequestHead& request, std::uint64_t content_length) noexcept;

// Appends a response head. With kNone, a Content-Length of `head` is passed on (it answers HEAD, or
// is a 304), except with 1xx and 204.
void write_response_head(std::string& out, const ResponseHead& head, const ResponseFraming& framing,
                         const HeadEdits& edits);

}  // namespace berth::http
