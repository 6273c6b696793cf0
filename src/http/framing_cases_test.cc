// The table of hostile requests against the parser, whole and in pieces, and against a live port.
#include "http/framing_cases.h"

#include <gtest/gtest.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "http/head_writer.h"
#include "http/request_parser.h"
#include "http/server.h"
#include "net/run_task.h"

namespace berth::http {
namespace {

std::vector<FramingCase> table() {
  return read_framing_cases(BERTH_SOURCE_DIR "/tests/framing/cases.txt");
}

struct Verdict {
  int refused_with = 0;
  bool complete = false;
  std::string body;
  std::size_t left_over = 0;
  bool operator==(const Verdict&) const = default;
};

// Feeds `bytes` in pieces of `piece` bytes.
Verdict judge(std::string_view bytes, std::size_t piece) {
  RequestParser parser(HeadLimits{});
  Verdict verdict;
  while (!bytes.empty() && !parser.complete()) {
    const auto in = bytes.substr(0, piece);
    BodySpans spans;
    const bool in_body = parser.head_complete();
    const auto taken = in_body ? parser.take_body(in, spans) : parser.take_head(in);
    for (const auto span : spans) verdict.body += span;
    if (!taken) {
      verdict.refused_with = taken.error().status;
      return verdict;
    }
    bytes.remove_prefix(*taken);
  }
  verdict.complete = parser.complete();
  verdict.left_over = bytes.size();
  return verdict;
}

TEST(FramingCases, TableIsWhole) {
  const auto cases = table();
  ASSERT_GT(cases.size(), 42u);
  std::size_t legal = 0;
  for (std::size_t i = 0; i < 42; ++i) legal += cases[i].refused_with == 0 ? 1 : 0;
  EXPECT_EQ(legal, 2u);
  for (const auto& one : cases) {
    EXPECT_GE(one.refused_with, 0) << one.name;
    EXPECT_FALSE(one.bytes.empty()) << one.name;
  }
}

TEST(FramingCases, ParserGivesTheExpectedVerdict) {
  for (const auto& one : table()) {
    SCOPED_TRACE(one.name);
    const auto verdict = judge(one.bytes, one.bytes.size());
    EXPECT_EQ(verdict.refused_with, one.refused_with);
    if (one.refused_with != 0) continue;
    EXPECT_TRUE(verdict.complete);
    EXPECT_EQ(verdict.body, "abc");
    EXPECT_EQ(verdict.left_over, 0u);
  }
}

TEST(FramingCases, PiecesDoNotMatter) {
  for (const auto& one : table()) {
    SCOPED_TRACE(one.name);
    const auto whole = judge(one.bytes, one.bytes.size());
    for (const std::size_t piece : {1, 2, 3, 5, 8, 13})
      EXPECT_EQ(judge(one.bytes, piece), whole) << piece;
  }
}

TEST(FramingCases, AWholeRequestEndsWhereTheNextBegins) {
  for (const auto& one : table()) {
    if (one.refused_with != 0) continue;
    SCOPED_TRACE(one.name);
    const auto verdict = judge(one.bytes + "GET / HTTP/1.1\r\n", one.bytes.size() + 16);
    EXPECT_TRUE(verdict.complete);
    EXPECT_EQ(verdict.left_over, 16u);
  }
}

TEST(FramingCases, AHeadWrittenOnIsReadTheSame) {
  for (const auto& one : table()) {
    if (one.refused_with != 0) continue;
    SCOPED_TRACE(one.name);
    RequestParser first(HeadLimits{});
    ASSERT_TRUE(first.take_head(one.bytes));
    std::string rewritten;
    write_request_head(rewritten, first.head(), first.head().target, "b", 3, {});
    RequestParser second(HeadLimits{});
    const auto taken = second.take_head(rewritten);
    ASSERT_TRUE(taken);
    EXPECT_EQ(*taken, rewritten.size());
    EXPECT_EQ(second.head().framing, BodyFraming::kContentLength);
    EXPECT_EQ(second.head().content_length, 3u);
    EXPECT_EQ(second.head().target, first.head().target);
    std::string again;
    write_request_head(again, second.head(), second.head().target, "b", 3, {});
    EXPECT_EQ(again, rewritten);
  }
}

net::Task<void> echo(Request& request, Responder& responder) {
  co_await responder.reply(200, "text/plain", request.body);
}

// Everything the server at `port` answers to `bytes`, until it closes.
std::string answer_of(net::asio::io_context& io, std::uint16_t port, std::string_view bytes) {
  net::Socket socket(io.get_executor());
  socket.connect({net::asio::ip::address_v4::loopback(), port});
  socket.non_blocking(true);
  net::asio::write(socket, net::asio::buffer(bytes));
  std::string answer;
  bool done = false;
  net::asio::async_read(socket, net::asio::dynamic_buffer(answer),
                        [&](net::error_code, std::size_t) { done = true; });
  while (!done) io.run_one();
  return answer;
}

TEST(FramingCases, LivePortAnswersAndCloses) {
  net::asio::io_context io{1};
  auto server = Server::listen(io, "127.0.0.1", 0, ReaderLimits{}, echo);
  ASSERT_TRUE(server) << server.error().message;
  for (const auto& one : table()) {
    SCOPED_TRACE(one.name);
    // An accepted request is followed by one that asks for the connection to be closed.
    const std::string last =
        one.refused_with == 0 ? "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" : "";
    const auto answer = answer_of(io, (*server)->port(), one.bytes + last);
    const auto status = std::to_string(one.refused_with == 0 ? 200 : one.refused_with);
    EXPECT_EQ(answer.substr(0, 13), "HTTP/1.1 " + status + " ");
    if (one.refused_with != 0) {
      EXPECT_EQ(answer.find("\nHTTP/1.1 "), std::string::npos) << "a second answer";
      EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
      EXPECT_NE(answer.find("{\"error\":{\"code\":"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace berth::http
