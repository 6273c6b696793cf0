#include "http/response_parser.h"

#include <gtest/gtest.h>

namespace berth::http {
namespace {

struct Outcome {
  bool head = false;
  bool complete = false;
  bool reusable = false;
  int status = 0;
  std::string body;
  std::size_t surplus = 0;
  std::string error;  // the code's name
  bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& o) {
  return out << "status " << o.status << " head " << o.head << " complete " << o.complete
             << " reusable " << o.reusable << " surplus " << o.surplus << " error " << o.error
             << " body '" << o.body << "'";
}

Outcome read(std::string_view bytes, bool eof, bool to_head, std::size_t piece) {
  ResponseParser parser(HeadLimits{}, to_head);
  Outcome outcome;
  Result<void> fed;
  while (fed && !bytes.empty()) {
    const auto in = bytes.substr(0, piece);
    BodySpans spans;
    fed = parser.feed(in, spans);
    for (const auto span : spans) outcome.body += span;
    bytes.remove_prefix(in.size());
  }
  if (fed && eof) fed = parser.finish();
  if (!fed) outcome.error = error_code_name(fed.error().code);
  outcome.head = parser.head_ready();
  outcome.complete = parser.complete();
  outcome.reusable = parser.reusable();
  outcome.status = parser.head_ready() ? parser.head().status : 0;
  outcome.surplus = parser.surplus();
  return outcome;
}

// In one piece, after proving that other pieces give the same.
Outcome read(std::string_view bytes, bool eof = false, bool to_head = false) {
  const auto whole = read(bytes, eof, to_head, bytes.size() + 1);
  for (const std::size_t piece : {1, 2, 3, 7, 16})
    EXPECT_EQ(read(bytes, eof, to_head, piece), whole) << piece;
  return whole;
}

Outcome good(int status, std::string body) {
  return {true, true, true, status, std::move(body), 0, ""};
}

TEST(ResponseParser, ReadsALength) {
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), good(200, "hello"));
}

TEST(ResponseParser, ReadsChunks) {
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n3\r\nabc\r\n5;x=y\r\ndefgh\r\n0\r\nT: v\r\n\r\n"),
            good(200, "abcdefgh"));
}

TEST(ResponseParser, ReadsUntilClose) {
  const auto open = read("HTTP/1.1 200 OK\r\n\r\nabc");
  EXPECT_FALSE(open.complete);
  EXPECT_EQ(open.body, "abc");
  const auto closed = read("HTTP/1.1 200 OK\r\n\r\nabc", true);
  EXPECT_TRUE(closed.complete);
  EXPECT_FALSE(closed.reusable);
  EXPECT_EQ(closed.error, "");
}

TEST(ResponseParser, KnowsWhichHaveNoBody) {
  EXPECT_EQ(read("HTTP/1.1 204 No Content\r\n\r\n"), good(204, ""));
  EXPECT_EQ(read("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"), good(304, ""));
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, true), good(200, ""));
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, true),
            good(200, ""));
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), good(200, ""));
}

TEST(ResponseParser, SkipsInterimResponses) {
  const std::string interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
  EXPECT_EQ(read("HTTP/1.1 100 Continue\r\n\r\n" + interim +
                 "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
            good(200, "x"));
  std::string many;
  for (int i = 0; i < 100; ++i) many += interim;
  EXPECT_EQ(read(many).error, "upstream_bad_response");
}

TEST(ResponseParser, CountsSurplusBytes) {
  const auto outcome = read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1");
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.surplus, 8u);
  EXPECT_EQ(outcome.body, "ok");
  EXPECT_FALSE(outcome.reusable);
}

TEST(ResponseParser, TellsWhetherTheConnectionCanBeUsedAgain) {
  EXPECT_FALSE(read("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx").reusable);
  EXPECT_FALSE(read("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx").reusable);
  EXPECT_TRUE(
      read("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx").reusable);
}

TEST(ResponseParser, ReportsAnEarlyEnd) {
  const std::string length = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell";
  EXPECT_EQ(read(length, true).error, "upstream_reset");
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", true).error,
            "upstream_reset");
  EXPECT_EQ(
      read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", true).error,
      "upstream_reset");
  EXPECT_EQ(read("HTTP/1.1 200", true).error, "upstream_reset");
  EXPECT_EQ(read("HTTP/1.1 100 Continue\r\n\r\n", true).error, "upstream_reset");
  EXPECT_EQ(read("", true).error, "upstream_reset");
}

TEST(ResponseParser, RefusesWhatCannotBeFramed) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::string bad[] = {
      ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      ok + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx",
      ok + "Content-Length: -1\r\n\r\n",
      ok + "Transfer-Encoding: gzip, chunked\r\n\r\n",
      ok + "Transfer-Encoding: identity\r\n\r\n",
      "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
      "HTTP/2 200 OK\r\n\r\n",
      "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 2000 OK\r\n\r\n",
      "HTTP/1.1 099 OK\r\n\r\n",
      "ICY 200 OK\r\n\r\n",
      ok + "X : y\r\n\r\n",
      ok + "X: a\r\n b\r\n\r\n",
      ok + "X: a\nY: b\r\n\r\n",
      ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
      "{\"detail\":\"not HTTP\"}\r\n",
  };
  for (const auto& bytes : bad) EXPECT_EQ(read(bytes).error, "upstream_bad_response") << bytes;
}

TEST(ResponseParser, BoundsTheHead) {
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x')).error,
            "upstream_bad_response");
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 300; ++i) many += "X: y\r\n";
  EXPECT_EQ(read(many + "\r\n").error, "upstream_bad_response");
}

TEST(ResponseParser, BoundsAChunksSizeLineAndTheTrailers) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(read(head + "3;x=" + std::string(9000, 'y') + "\r\nabc\r\n0\r\n\r\n").error,
            "upstream_bad_response");
  std::string trailers;
  for (int i = 0; i < 2000; ++i) trailers += "X: y\r\n";
  EXPECT_EQ(read(head + "0\r\n" + trailers + "\r\n").error, "upstream_bad_response");
}

TEST(ResponseParser, KeepsTheHeadAsItCame) {
  ResponseParser parser(HeadLimits{}, false);
  BodySpans spans;
  ASSERT_TRUE(parser.feed(
      "HTTP/1.1 429 Slow Down Now\r\nretry-AFTER:  7\r\nx-A: 1\r\nX-a: 2\r\n\r\n", spans));
  const auto& head = parser.head();
  EXPECT_EQ(head.reason, "Slow Down Now");
  ASSERT_EQ(head.headers.size(), 3u);
  EXPECT_EQ(head.headers.begin()->name, "retry-AFTER");
  EXPECT_EQ(head.headers.begin()->value, "7");
  EXPECT_EQ(head.headers.count("x-a"), 2u);
  EXPECT_EQ(head.framing, BodyFraming::kUntilClose);
}

TEST(ResponseParser, BodyPiecesPointIntoTheBytesGiven) {
  ResponseParser parser(HeadLimits{}, false);
  BodySpans spans;
  const std::string bytes =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n";
  ASSERT_TRUE(parser.feed(bytes, spans));
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].data(), bytes.data() + bytes.find("abc"));
  EXPECT_EQ(spans[1].data(), bytes.data() + bytes.find("de"));
}

}  // namespace
}  // namespace berth::http
