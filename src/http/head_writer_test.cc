#include "http/head_writer.h"

#include <gtest/gtest.h>

#include <array>

#include "http/chunk.h"
#include "http/request_parser.h"

namespace berth::http {
namespace {

struct Parsed : RequestParser {
  explicit Parsed(std::string_view raw) : RequestParser(HeadLimits{}) {
    EXPECT_TRUE(take_head(raw));
    EXPECT_TRUE(head_complete());
  }
};

TEST(WriteRequestHead, KeepsEndToEndHeadersAsTheyCame) {
  const Parsed parser(
      "POST /v1/x?y=z HTTP/1.1\r\nhOST: a\r\nX-Two:  2 \r\nx-two: three\r\nAccept-Encoding: "
      "gzip\r\n"
      "Transfer-Encoding: chunked\r\nTE: trailers\r\nConnection: x-private, "
      "keep-alive\r\nX-Private: p\r\n"
      "Expect: 100-continue\r\nKeep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\n\r\n");
  std::string out;
  write_request_head(out, parser.head(), parser.head().target, "upstream:1", 7, {});
  EXPECT_EQ(out,
            "POST /v1/x?y=z HTTP/1.1\r\nHost: upstream:1\r\nX-Two: 2\r\nx-two: three\r\n"
            "Accept-Encoding: gzip\r\nContent-Length: 7\r\n\r\n");
}

TEST(WriteRequestHead, DropsAndSets) {
  const Parsed parser(
      "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer client\r\nX-data-parallel-rank: 9\r\n"
      "x-DATA-parallel-rank: 8\r\nX-Keep: k\r\nX-Drop: d\r\n\r\n");
  const std::array<std::string_view, 1> drop = {"x-drop"};
  const std::array<Header, 2> set = {Header{"X-data-parallel-rank", "2"},
                                     Header{"Authorization", "Bearer own"}};
  std::string out;
  write_request_head(out, parser.head(), "/", "a", 0, {drop, set});
  EXPECT_EQ(out,
            "GET / HTTP/1.1\r\nHost: a\r\nX-Keep: k\r\nX-data-parallel-rank: 2\r\nAuthorization: "
            "Bearer own\r\n\r\n");
}

TEST(WriteRequestHead, GivesAHostToAnHttp10Request) {
  const Parsed parser("GET / HTTP/1.0\r\n\r\n");
  std::string out;
  write_request_head(out, parser.head(), "/", "upstream:1", 0, {});
  EXPECT_EQ(out, "GET / HTTP/1.1\r\nHost: upstream:1\r\n\r\n");
}

TEST(WriteRequestHead, GivesOneHostWhenTheClientCallsItsOwnHopByHop) {
  const Parsed parser("GET / HTTP/1.1\r\nHost: a\r\nConnection: host\r\n\r\n");
  std::string out;
  write_request_head(out, parser.head(), "/", "upstream:1", 0, {});
  EXPECT_EQ(out, "GET / HTTP/1.1\r\nHost: upstream:1\r\n\r\n");
}

TEST(WriteRequestHead, TellsTheLengthOfAnEmptyBody) {
  std::string out;
  write_request_head(out, Parsed("POST / HTTP/1.1\r\nHost: a\r\n\r\n").head(), "/", "a", 0, {});
  EXPECT_NE(out.find("Content-Length: 0\r\n"), std::string::npos);
}

TEST(WriteRequestHeadDeathTest, RefusesToWriteASplitHeader) {
  const Parsed parser("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::array<Header, 1> set = {Header{"X-A", "b\r\nX-Evil: c"}};
  std::string out;
  EXPECT_DEATH(write_request_head(out, parser.head(), "/", "a", 0, {{}, set}), "is_header_value");
}

class WriteResponseHeadTest : public ::testing::Test {
 protected:
  std::string written(const ResponseFraming& framing, const HeadEdits& edits = {}) const {
    std::string out;
    write_response_head(out, head_, framing, edits);
    return out;
  }
  WriteResponseHeadTest() {
    head_.status = 200;
    head_.reason = "Fine";
    head_.headers.add("date", "d");
    head_.headers.add("Content-Length", "12");
    head_.headers.add("Connection", "keep-alive");
    head_.headers.add("X-Request-Id", "r");
  }
  ResponseHead head_;
};

TEST_F(WriteResponseHeadTest, WritesExactlyOneFraming) {
  EXPECT_EQ(written({BodyFraming::kContentLength, 12, true, 1}),
            "HTTP/1.1 200 Fine\r\ndate: d\r\nX-Request-Id: r\r\nContent-Length: 12\r\n\r\n");
  EXPECT_EQ(
      written({BodyFraming::kChunked, 0, true, 1}),
      "HTTP/1.1 200 Fine\r\ndate: d\r\nX-Request-Id: r\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(written({BodyFraming::kUntilClose, 0, true, 0}),
            "HTTP/1.1 200 Fine\r\ndate: d\r\nX-Request-Id: r\r\nConnection: close\r\n\r\n");
}

TEST_F(WriteResponseHeadTest, PassesTheLengthOnWhereThereIsNoBody) {
  EXPECT_NE(written({BodyFraming::kNone, 0, true, 1}).find("Content-Length: 12\r\n"),
            std::string::npos);
  head_.status = 204;
  EXPECT_EQ(written({BodyFraming::kNone, 0, true, 1}).find("Content-Length"), std::string::npos);
}

TEST_F(WriteResponseHeadTest, TellsWhetherTheConnectionStays) {
  EXPECT_NE(written({BodyFraming::kContentLength, 0, false, 1}).find("Connection: close\r\n"),
            std::string::npos);
  EXPECT_EQ(written({BodyFraming::kContentLength, 0, true, 1}).find("Connection"),
            std::string::npos);
  EXPECT_NE(written({BodyFraming::kContentLength, 0, true, 0}).find("Connection: keep-alive\r\n"),
            std::string::npos);
}

TEST_F(WriteResponseHeadTest, KnowsAReasonWhereTheServerGaveNone) {
  head_.reason = {};
  head_.status = 529;
  EXPECT_EQ(written({}).substr(0, 25), "HTTP/1.1 529 Overloaded\r\n");
}

TEST(FramingForClient, TurnsWhatTheServerSaidIntoWhatTheClientKnows) {
  RequestHead modern;
  RequestHead old;
  old.minor_version = 0;
  ResponseHead response;
  response.framing = BodyFraming::kContentLength;
  response.content_length = 5;
  EXPECT_EQ(framing_for_client(modern, response).content_length, 5u);
  for (const auto framing : {BodyFraming::kChunked, BodyFraming::kUntilClose}) {
    response.framing = framing;
    EXPECT_EQ(framing_for_client(modern, response).framing, BodyFraming::kChunked);
    EXPECT_TRUE(framing_for_client(modern, response).keep_alive);
    EXPECT_EQ(framing_for_client(old, response).framing, BodyFraming::kUntilClose);
    EXPECT_FALSE(framing_for_client(old, response).keep_alive);
  }
  response.framing = BodyFraming::kNone;
  EXPECT_EQ(framing_for_client(modern, response).framing, BodyFraming::kNone);
}

TEST(IsHeaderValue, RefusesWhatWouldSplitOrPad) {
  EXPECT_TRUE(is_header_value("Bearer abc"));
  EXPECT_TRUE(is_header_value(""));
  for (const std::string_view bad : {"a\r", "a\nb", " a", "a ", "a\x7f"})
    EXPECT_FALSE(is_header_value(bad)) << bad;
  EXPECT_FALSE(is_header_value(std::string_view("a\0b", 3)));
}

TEST(ChunkHeader, IsTheSizeInHex) {
  EXPECT_EQ(ChunkHeader(1).view(), "1\r\n");
  EXPECT_EQ(ChunkHeader(0x1f4).view(), "1f4\r\n");
  EXPECT_EQ(ChunkHeader(~std::size_t{0}).view(), "ffffffffffffffff\r\n");
}

}  // namespace
}  // namespace berth::http
