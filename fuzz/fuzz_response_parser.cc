// Any bytes as a response, to a GET and to a HEAD, ended by a close or not. What must hold:
//   - however the bytes are cut, the outcome is the same;
//   - an announced length is the length of a complete body;
//   - the head we write on is accepted and says the same.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/head_writer.h"
#include "http/response_parser.h"

namespace {

using berth::http::BodyFraming;
using berth::http::BodySpans;
using berth::http::HeadLimits;
using berth::http::HopByHop;
using berth::http::ResponseHead;
using berth::http::ResponseParser;

struct Reading {
  std::string error;
  bool head = false;
  bool complete = false;
  bool reusable = false;
  std::string body;
  std::size_t surplus = 0;
  bool operator==(const Reading&) const = default;
};

Reading read(ResponseParser& parser, std::string_view bytes, std::size_t piece) {
  Reading reading;
  berth::Result<void> fed;
  while (fed && !bytes.empty()) {
    const auto in = bytes.substr(0, piece);
    BodySpans spans;
    fed = parser.feed(in, spans);
    for (const auto span : spans) {
      BERTH_CHECK(span.data() >= in.data() && span.data() + span.size() <= in.data() + in.size());
      reading.body += span;
    }
    bytes.remove_prefix(in.size());
  }
  if (fed) fed = parser.finish();
  if (!fed) reading.error = fed.error().message;
  reading.head = parser.head_ready();
  reading.complete = parser.complete();
  reading.reusable = parser.reusable();
  reading.surplus = parser.surplus();
  return reading;
}

void check_body(const ResponseHead& head, const Reading& reading) {
  if (head.framing == BodyFraming::kNone) BERTH_CHECK(reading.body.empty());
  if (head.framing == BodyFraming::kContentLength)
    BERTH_CHECK(reading.body.size() == head.content_length);
  if (head.framing == BodyFraming::kUntilClose)
    BERTH_CHECK(!reading.reusable && reading.surplus == 0);
}

void check_rewritten(const ResponseHead& head, bool to_head) {
  std::string text;
  write_response_head(text, head, {head.framing, head.content_length, head.keep_alive, 1}, {});
  ResponseParser parser(HeadLimits{1 << 20, 1 << 16}, to_head);
  BodySpans spans;
  BERTH_CHECK(parser.feed(text, spans) && parser.head_ready());
  const auto& again = parser.head();
  BERTH_CHECK(again.status == head.status && again.framing == head.framing);
  BERTH_CHECK(head.framing != BodyFraming::kContentLength ||
              again.content_length == head.content_length);
  BERTH_CHECK(head.reason.empty() || again.reason == head.reason);
  auto next = again.headers.begin();
  const HopByHop hop_by_hop(head.headers);
  for (const auto& header : head.headers) {
    if (hop_by_hop.covers(header.name) || berth::http::iequals(header.name, "expect")) continue;
    BERTH_CHECK(next != again.headers.end() && next->name == header.name &&
                next->value == header.value);
    ++next;
  }
}

void check(std::string_view bytes, bool to_head) {
  ResponseParser whole(HeadLimits{4096, 32}, to_head);
  const auto reading = read(whole, bytes, bytes.size() + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, bytes.size() / 2 + 1}) {
    ResponseParser split(HeadLimits{4096, 32}, to_head);
    BERTH_CHECK(read(split, bytes, piece) == reading);
  }
  if (reading.complete) check_body(whole.head(), reading);
  if (reading.head) check_rewritten(whole.head(), to_head);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes, false);
  check(bytes, true);
  return 0;
}
