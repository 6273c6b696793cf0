// Strict framing: decides where a message's body ends, and refuses every head that two honest
// readers could understand differently (request smuggling). Runs after the general parser has
// accepted the head.
//
// Accepted is only: one Content-Length of digits, or Transfer-Encoding of exactly one `chunked` on
// HTTP/1.1, or neither. Never both, never two of one, no other coding. A 1.1 request has exactly
// one Host.
#pragma once

#include <string_view>

#include "http/head.h"
#include "http/refusal.h"

namespace berth::http {

// Fills framing, content_length, keep_alive and expect_continue from the headers. An Upgrade is
// ignored, as RFC 9110 section 7.8 allows: common clients offer one with every plain request
// (docs/http.md). Only one to a websocket is refused: who asks for that can do with nothing less.
Accepted<void> frame_request(RequestHead& head);

// The same for a response. `to_head`: it answers a HEAD request, so it has no body whatever its
// headers say.
Accepted<void> frame_response(ResponseHead& head, bool to_head);

}  // namespace berth::http
