#include "http/request_reader.h"

#include <gtest/gtest.h>

#include <boost/asio/write.hpp>
#include <optional>

#include "net/loopback_pair.h"
#include "net/run_task.h"

namespace berth::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A reader on one end of a connection; the test is the client on the other.
class RequestReaderTest : public ::testing::Test {
 protected:
  RequestReaderTest()
      : pair_(net::loopback_pair(io_)),
        client_(std::move(pair_.first)),
        stream_(std::move(pair_.second)) {
    // A limit that is not the subject of a test must not end it.
    limits_.idle = limits_.head = limits_.body = seconds(60);
  }

  RequestReader& reader() {
    if (!reader_) reader_.emplace(stream_, limits_);
    return *reader_;
  }
  void send(std::string_view bytes) { net::asio::write(client_, net::asio::buffer(bytes)); }
  Result<RequestHead> next_head() { return net::run_task(io_, reader().next_head()); }
  Result<void> read_body(std::string& body) {
    return net::run_task(io_, reader().read_body(body, 64));
  }
  void settle() {
    io_.restart();
    io_.poll();
  }
  // What the client has received so far, after everything that can run has run.
  std::string received() {
    settle();
    std::string bytes(client_.available(), '\0');
    client_.read_some(net::asio::buffer(bytes));
    return bytes;
  }
  void run_until(const bool& condition) {
    io_.restart();
    while (!condition) io_.run_one();
  }

  net::asio::io_context io_{1};
  std::pair<net::Socket, net::Socket> pair_;
  net::Socket client_;
  net::Stream stream_;
  ReaderLimits limits_;
  std::optional<RequestReader> reader_;
};

TEST_F(RequestReaderTest, ReadsOneRequestAfterAnother) {
  send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nfirst");
  auto head = next_head();
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->target, "/a");
  EXPECT_FALSE(reader().body_read());
  std::string body;
  ASSERT_TRUE(read_body(body));
  EXPECT_EQ(body, "first");
  EXPECT_GE(body.capacity(), body.size() + 64);
  EXPECT_TRUE(reader().body_read());

  send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
  head = next_head();
  ASSERT_TRUE(head);
  EXPECT_EQ(head->target, "/b");
  EXPECT_TRUE(reader().body_read());
}

TEST_F(RequestReaderTest, ServesPipelinedRequests) {
  std::string bytes;
  for (int i = 0; i < 20; ++i) {
    bytes += "POST /" + std::to_string(i) +
             " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
  }
  send(bytes);
  for (int i = 0; i < 20; ++i) {
    auto head = next_head();
    ASSERT_TRUE(head) << head.error().message;
    EXPECT_EQ(head->target, "/" + std::to_string(i));
    std::string body;
    ASSERT_TRUE(read_body(body));
    EXPECT_EQ(body, "ok");
  }
}

TEST_F(RequestReaderTest, AHeadStaysWholeWhileMoreBytesCome) {
  send("GET /first HTTP/1.1\r\nHost: h\r\nX-A: value\r\n\r\n");
  auto head = next_head();
  ASSERT_TRUE(head);
  send("GET /second HTTP/1.1\r\nHost: h\r\n\r\n");
  received();
  EXPECT_EQ(head->target, "/first");
  EXPECT_EQ(head->headers.get("x-a"), "value");
  EXPECT_FALSE(reader().gone());
  EXPECT_EQ(next_head()->target, "/second");
}

// Sends byte by byte, each after the last one was read.
net::Task<void> drip(net::Socket* socket, std::string bytes) {
  for (const char& c : bytes) {
    const std::array<net::asio::const_buffer, 1> piece = {net::asio::buffer(&c, 1)};
    co_await net::asio::async_write(*socket, piece, net::use_tuple);
    net::Timer yield(socket->get_executor());
    yield.expires_after(milliseconds(0));
    co_await yield.async_wait(net::use_tuple);
  }
}

TEST_F(RequestReaderTest, TakesARequestByteByByte) {
  net::asio::co_spawn(io_,
                      drip(&client_,
                           "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
                      [](std::exception_ptr) {});
  ASSERT_TRUE(next_head());
  std::string body;
  ASSERT_TRUE(read_body(body));
  EXPECT_EQ(body, "abcde");
}

TEST_F(RequestReaderTest, ReadsALargeBody) {
  std::string sent(5'000'000, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 2654435761u >> 13);
  send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5000000\r\n\r\n");
  ASSERT_TRUE(next_head());
  net::asio::async_write(client_, net::asio::buffer(sent), [](net::error_code, std::size_t) {});
  std::string body;
  ASSERT_TRUE(read_body(body));
  EXPECT_TRUE(body == sent);
}

TEST_F(RequestReaderTest, SendsContinueOnlyWhereTheClientWaits) {
  send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  ASSERT_TRUE(next_head());
  EXPECT_EQ(received(), "");
  std::optional<bool> done;
  std::string body;
  net::asio::co_spawn(io_, reader().read_body(body, 0),
                      [&](std::exception_ptr, Result<void> result) { done = result.has_value(); });
  EXPECT_EQ(received(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_FALSE(done);
  send("ok");
  while (!done) io_.run_one();
  EXPECT_EQ(body, "ok");

  send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok");
  ASSERT_TRUE(next_head());
  ASSERT_TRUE(read_body(body));
  EXPECT_EQ(received(), "");
}

TEST_F(RequestReaderTest, RefusesABodyOverTheLimitBeforeReadingIt) {
  limits_.body_bytes = 10;
  send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  ASSERT_TRUE(next_head());
  std::string body;
  const auto read = read_body(body);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kBodyTooLarge);
  EXPECT_EQ(reader().refusal_status(), 413);
  EXPECT_EQ(received(), "");
}

TEST_F(RequestReaderTest, RefusesChunksOverTheLimit) {
  limits_.body_bytes = 10;
  send(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
      "chunked\r\n\r\n6\r\n123456\r\n5\r\n78901\r\n");
  ASSERT_TRUE(next_head());
  std::string body;
  const auto read = read_body(body);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kBodyTooLarge);
}

TEST_F(RequestReaderTest, AnnouncedLengthAloneTakesNoMemory) {
  limits_.body_bytes = std::size_t{1} << 40;
  send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000000\r\n\r\nx");
  ASSERT_TRUE(next_head());
  client_.shutdown(net::Socket::shutdown_send);
  std::string body;
  EXPECT_EQ(read_body(body).error().code, ErrorCode::kClientGone);
  EXPECT_LT(body.capacity(), 16u * 1024 * 1024);
}

TEST_F(RequestReaderTest, RefusesAHeadOverTheLimit) {
  limits_.head_bytes = 100;
  send("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(100, 'x'));
  EXPECT_EQ(next_head().error().code, ErrorCode::kHeadTooLarge);
  EXPECT_EQ(reader().refusal_status(), 431);
}

TEST_F(RequestReaderTest, ALimitOfHeadBytesIsNoLimitOfTheBody) {
  limits_.head_bytes = 100;
  const std::string sent(50'000, 'x');
  send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000\r\n\r\n" + sent);
  ASSERT_TRUE(next_head());
  std::string body;
  ASSERT_TRUE(read_body(body));
  EXPECT_EQ(body, sent);
}

TEST_F(RequestReaderTest, SlowHeadMeetsTheHeadLimitHoweverOftenABitComes) {
  limits_.head = milliseconds(50);
  net::asio::co_spawn(io_, drip(&client_, "GET / HTTP/1.1\r\nX: " + std::string(60'000, 'x')),
                      [](std::exception_ptr) {});
  const auto head = next_head();
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().code, ErrorCode::kRequestTimeout);
  EXPECT_EQ(reader().refusal_status(), 408);
}

TEST_F(RequestReaderTest, IdleConnectionEndsWithoutAnAnswer) {
  limits_.idle = milliseconds(20);
  EXPECT_EQ(next_head().error().code, ErrorCode::kRequestTimeout);
  EXPECT_EQ(reader().refusal_status(), 0);
}

TEST_F(RequestReaderTest, StalledBodyMeetsTheBodyLimit) {
  limits_.body = milliseconds(20);
  send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  ASSERT_TRUE(next_head());
  std::string body;
  EXPECT_EQ(read_body(body).error().code, ErrorCode::kRequestTimeout);
  EXPECT_EQ(reader().refusal_status(), 408);
}

TEST_F(RequestReaderTest, SlowBodyMeetsTheWholeBodyLimitHoweverOftenABitComes) {
  limits_.whole_body = milliseconds(50);
  send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n");
  ASSERT_TRUE(next_head());
  net::asio::co_spawn(io_, drip(&client_, std::string(60'000, 'x')), [](std::exception_ptr) {});
  std::string body;
  const auto read = read_body(body);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kRequestTimeout);
  EXPECT_EQ(reader().refusal_status(), 408);
}

TEST_F(RequestReaderTest, AClientThatDoesNotTakeTheContinueIsLeft) {
  limits_.body = milliseconds(20);
  send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  ASSERT_TRUE(next_head());
  net::error_code full;
  const std::string filler(65'536, 'x');
  stream_.socket().non_blocking(true);
  while (!full) stream_.socket().write_some(net::asio::buffer(filler), full);
  std::string body;
  EXPECT_EQ(read_body(body).error().code, ErrorCode::kClientGone);
}

TEST_F(RequestReaderTest, AsksForTheMemoryOfABodyAsItComes) {
  send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n" + std::string(3000, 'x'));
  ASSERT_TRUE(next_head());
  std::vector<std::size_t> asked;
  const BodyGrant grant = [&](std::size_t bytes) {
    asked.push_back(bytes);
    return bytes < 5000;
  };
  std::string body;
  std::optional<Result<void>> done;
  net::asio::co_spawn(io_, reader().read_body(body, 0, &grant),
                      [&](std::exception_ptr, Result<void> result) { done = result; });
  received();
  ASSERT_FALSE(asked.empty());
  EXPECT_LE(asked.back(), 3000u);
  EXPECT_FALSE(done);
  send(std::string(3000, 'x'));
  while (!done) io_.run_one();
  EXPECT_EQ(asked.back(), 6000u);
  ASSERT_FALSE(done->has_value());
  EXPECT_EQ(done->error().code, ErrorCode::kOverloaded);
  EXPECT_EQ(reader().refusal_status(), 503);
}

TEST_F(RequestReaderTest, ACleanEndBetweenRequestsIsClientGone) {
  client_.close();
  EXPECT_EQ(next_head().error().code, ErrorCode::kClientGone);
  EXPECT_EQ(reader().refusal_status(), 0);
  EXPECT_TRUE(reader().gone());
}

TEST_F(RequestReaderTest, LeavingWithinAHeadOrBodyIsClientGone) {
  send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  ASSERT_TRUE(next_head());
  client_.close();
  std::string body;
  EXPECT_EQ(read_body(body).error().code, ErrorCode::kClientGone);
  EXPECT_EQ(reader().refusal_status(), 0);
}

TEST_F(RequestReaderTest, NoticesAtOnceThatTheClientLeft) {
  send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(next_head());
  bool gone = false;
  reader().on_gone([&gone] { gone = true; });
  received();
  EXPECT_FALSE(gone);
  client_.close();
  run_until(gone);
  EXPECT_TRUE(reader().gone());
}

TEST_F(RequestReaderTest, NoticesAResetToo) {
  send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(next_head());
  bool gone = false;
  reader().on_gone([&gone] { gone = true; });
  client_.set_option(net::asio::socket_base::linger(true, 0));
  client_.close();
  run_until(gone);
}

TEST_F(RequestReaderTest, LeavingAfterPipelinedBytesIsNoticed) {
  send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(next_head());
  int calls = 0;
  bool gone = false;
  reader().on_gone([&] { gone = true, ++calls; });
  send("GET /next HTTP/1.1\r\n");
  received();
  EXPECT_FALSE(gone);
  client_.close();
  run_until(gone);
  settle();
  EXPECT_EQ(calls, 1);
}

TEST_F(RequestReaderTest, TellsLateWatchersThatTheClientHasLeft) {
  send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client_.shutdown(net::Socket::shutdown_send);
  ASSERT_TRUE(next_head());
  received();
  bool gone = false;
  reader().on_gone([&gone] { gone = true; });
  EXPECT_TRUE(gone);
}

TEST_F(RequestReaderTest, AnEmptyCallbackClearsTheWatch) {
  send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(next_head());
  bool called = false;
  reader().on_gone([&called] { called = true; });
  reader().on_gone(nullptr);
  client_.close();
  io_.restart();
  while (!reader().gone()) io_.run_one();
  EXPECT_FALSE(called);
}

TEST_F(RequestReaderTest, KeepsABoundedAmountAhead) {
  client_.set_option(net::asio::socket_base::send_buffer_size(16'384));
  stream_.socket().set_option(net::asio::socket_base::receive_buffer_size(16'384));
  limits_.head_bytes = 10'000;
  send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(next_head());
  const std::string second =
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n" + std::string(3'000'000, 'x');
  bool sent = false;
  net::asio::async_write(client_, net::asio::buffer(second),
                         [&](net::error_code, std::size_t) { sent = true; });
  settle();
  EXPECT_FALSE(sent);
  ASSERT_TRUE(next_head());
  std::string body;
  ASSERT_TRUE(read_body(body));
  EXPECT_EQ(body.size(), 3'000'000u);
}

TEST_F(RequestReaderTest, ABodyThatWasNotReadEndsTheConnection) {
  send(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 30\r\n\r\nGET / HTTP/1.1\r\nHost: "
      "evil\r\n\r\n");
  ASSERT_TRUE(next_head());
  const auto second = next_head();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kInternal);
}

TEST_F(RequestReaderTest, MayDieWithAReadOutstanding) {
  send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(next_head());
  bool called = false;
  reader().on_gone([&called] { called = true; });
  reader_.reset();
  send("more");
  settle();
  client_.close();
  settle();
  EXPECT_FALSE(called);
}

TEST_F(RequestReaderTest, StreamMayCloseWithAReadOutstanding) {
  send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(next_head());
  bool gone = false;
  reader().on_gone([&gone] { gone = true; });
  stream_.close();
  run_until(gone);
  EXPECT_EQ(next_head().error().code, ErrorCode::kClientGone);
}

TEST_F(RequestReaderTest, LingeringLetsTheClientReadTheAnswer) {
  limits_.body_bytes = 10;
  send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n");
  ASSERT_TRUE(next_head());
  std::string body;
  ASSERT_FALSE(read_body(body));
  const std::string answer = "HTTP/1.1 413 Content Too Large\r\n\r\n";
  const std::array<net::asio::const_buffer, 1> pieces = {net::asio::buffer(answer)};
  const auto written = net::run_task(io_, stream_.write_all(pieces));
  ASSERT_FALSE(written.error);
  bool lingered = false;
  net::asio::co_spawn(io_, reader().linger(seconds(60)),
                      [&lingered](std::exception_ptr) { lingered = true; });
  const std::string rest(100'000, 'x');
  bool sent = false;
  net::asio::async_write(client_, net::asio::buffer(rest),
                         [&sent](net::error_code ec, std::size_t) { sent = !ec; });
  run_until(sent);
  EXPECT_EQ(received(), answer);
  EXPECT_FALSE(lingered);
  client_.close();
  run_until(lingered);
}

}  // namespace
}  // namespace berth::http
