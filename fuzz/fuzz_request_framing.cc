// Any bytes as a request. What must hold:
//   - however the bytes are cut, the verdict, the body and its end are the same;
//   - an accepted head has at most one framing header, and one meaning;
//   - the head we write on, with the decoded body, is accepted, means the same, and is written on
//   unchanged.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/head_writer.h"
#include "http/request_parser.h"

namespace {

using berth::http::BodyFraming;
using berth::http::BodySpans;
using berth::http::HeadLimits;
using berth::http::HopByHop;
using berth::http::RequestHead;
using berth::http::RequestParser;

struct Reading {
  int refused_with = 0;
  std::string_view why;
  bool head = false;
  bool complete = false;
  std::string body;
  std::size_t left_over = 0;
  bool operator==(const Reading&) const = default;
};

Reading read(RequestParser& parser, std::string_view bytes, std::size_t piece) {
  Reading reading;
  while (!bytes.empty() && !parser.complete()) {
    const auto in = bytes.substr(0, piece);
    BodySpans spans;
    const auto taken = parser.head_complete() ? parser.take_body(in, spans) : parser.take_head(in);
    for (const auto span : spans) reading.body += span;
    if (!taken) {
      reading.refused_with = taken.error().status;
      reading.why = taken.error().message;
      return reading;
    }
    BERTH_CHECK(*taken <= in.size());
    bytes.remove_prefix(*taken);
  }
  reading.head = parser.head_complete();
  reading.complete = parser.complete();
  reading.left_over = bytes.size();
  return reading;
}

void check_single_framing(const RequestHead& head) {
  const auto lengths = head.headers.count("content-length");
  const auto codings = head.headers.count("transfer-encoding");
  BERTH_CHECK(lengths + codings <= 1);
  BERTH_CHECK((head.framing == BodyFraming::kContentLength) == (lengths == 1));
  BERTH_CHECK((head.framing == BodyFraming::kChunked) == (codings == 1));
  BERTH_CHECK(head.framing != BodyFraming::kUntilClose);
  BERTH_CHECK(head.headers.count("host") == 1 || head.minor_version == 0);
}

constexpr std::string_view kUpstream = "upstream:1";

std::string written_on(const RequestHead& head, std::size_t body_size) {
  std::string out;
  write_request_head(out, head, head.target, kUpstream, body_size, {});
  return out;
}

void check_same_end_to_end(const RequestHead& before, const RequestHead& after) {
  using berth::http::iequals;
  // Host names this hop: the server's, before everything that passes.
  auto next = after.headers.begin();
  BERTH_CHECK(iequals(next->name, "host") && next->value == kUpstream);
  ++next;
  const HopByHop hop_by_hop(before.headers);
  for (const auto& header : before.headers) {
    if (hop_by_hop.covers(header.name) || iequals(header.name, "expect") ||
        iequals(header.name, "host"))
      continue;
    BERTH_CHECK(next != after.headers.end() && next->name == header.name &&
                next->value == header.value);
    ++next;
  }
  BERTH_CHECK(next == after.headers.end() || iequals(next->name, "content-length"));
}

void check_rewritten(const RequestHead& head, const std::string& body) {
  const auto text = written_on(head, body.size());
  RequestParser parser(HeadLimits{1 << 20, 1 << 16});
  const auto again = read(parser, text + body, text.size() + body.size() + 1);
  BERTH_CHECK(again.refused_with == 0 && again.complete && again.left_over == 0 &&
              again.body == body);
  BERTH_CHECK(parser.head().method == head.method && parser.head().target == head.target);
  check_single_framing(parser.head());
  check_same_end_to_end(head, parser.head());
  BERTH_CHECK(written_on(parser.head(), body.size()) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  RequestParser whole(HeadLimits{4096, 32});
  const auto reading = read(whole, bytes, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, size / 2 + 1}) {
    RequestParser split(HeadLimits{4096, 32});
    BERTH_CHECK(read(split, bytes, piece) == reading);
  }
  if (!reading.head) return 0;
  check_single_framing(whole.head());
  if (reading.complete) check_rewritten(whole.head(), reading.body);
  return 0;
}
