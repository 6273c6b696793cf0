// One read, one write: what one read of the server brought goes to the client in one write.
#include "gateway/response_relay.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "net/loopback_pair.h"
#include "net/run_task.h"

namespace berth::gateway {
namespace {

class ResponseRelayTest : public ::testing::Test {
 protected:
  ResponseRelayTest()
      : upstream_pair_(net::loopback_pair(io_)),
        client_pair_(net::loopback_pair(io_)),
        server_(std::move(upstream_pair_.second)),
        client_(std::move(client_pair_.second)),
        upstream_(std::make_shared<UpstreamConnection>(net::Stream(std::move(upstream_pair_.first)),
                                                       std::make_shared<UpstreamServer>())),
        stream_(std::move(client_pair_.first)),
        writer_(stream_, request_, clock_, std::chrono::seconds(20)),
        wakeup_(io_.get_executor()) {
    options_.shape = inspect::ApiShape::kOpenAiChat;
    options_.stream = true;
    options_.first_byte_timeout = options_.idle_timeout = std::chrono::seconds(20);
    options_.extra = {{"x-berth-outcome", "sticky"}};
  }

  void serve(std::string_view bytes) { net::asio::write(server_, net::asio::buffer(bytes)); }
  RelayResult relay() {
    ResponseRelay relay(clock_, *upstream_, writer_, wakeup_, client_gone_, options_,
                        {[] {}, [] {}});
    return net::run_task(io_, relay.run());
  }
  // What the client has, which is all that was written.
  std::string received() {
    std::string bytes(client_.available(), '\0');
    net::asio::read(client_, net::asio::buffer(bytes));
    return bytes;
  }

  net::asio::io_context io_{1};
  SteadyClock clock_;
  std::pair<net::Socket, net::Socket> upstream_pair_;
  std::pair<net::Socket, net::Socket> client_pair_;
  net::Socket server_;
  net::Socket client_;
  http::RequestHead request_;
  std::shared_ptr<UpstreamConnection> upstream_;
  net::Stream stream_;
  ClientWriter writer_;
  Wakeup wakeup_;
  RelayOptions options_;
  bool client_gone_ = false;
};

constexpr std::string_view kStreamHead =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

std::string chunk(const std::string& text) {
  std::string out(16, '\0');
  out.resize(static_cast<std::size_t>(std::snprintf(out.data(), 16, "%zx\r\n", text.size())));
  return out + text + "\r\n";
}

TEST_F(ResponseRelayTest, AWholeResponseThatCameInOneReadLeavesInOneWrite) {
  serve("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
  EXPECT_EQ(relay().end, RelayEnd::kWhole);
  EXPECT_EQ(upstream_->stream().reads(), 1u);
  EXPECT_EQ(stream_.writes(), 1u);
  EXPECT_TRUE(received().ends_with("x-berth-outcome: sticky\r\nContent-Length: 2\r\n\r\n{}"));
}

TEST_F(ResponseRelayTest, AWholeChunkedStreamOfManyEventsLeavesInOneWriteAsOneChunk) {
  std::string events;
  std::string body(kStreamHead);
  for (int i = 0; i < 200; ++i) {
    const std::string event = "data: {\"n\":" + std::to_string(i) + "}\n\n";
    events += event;
    body += chunk(event);
  }
  serve(body + "0\r\n\r\n");
  EXPECT_EQ(relay().end, RelayEnd::kWhole);
  EXPECT_EQ(upstream_->stream().reads(), 1u);
  EXPECT_EQ(stream_.writes(), 1u);
  EXPECT_TRUE(received().ends_with("\r\n\r\n" + chunk(events) + "0\r\n\r\n"));
}

TEST_F(ResponseRelayTest, WhatTheFilterHeldBackLeavesWithTheEnd) {
  options_.remove_usage_chunk = true;
  const std::string cut = "data: {\"choices\":[]";  // might have become the usage chunk
  serve(std::string(kStreamHead) + chunk("data: {\"a\":1}\n\n" + cut) + "0\r\n\r\n");
  EXPECT_EQ(relay().end, RelayEnd::kWhole);
  EXPECT_EQ(stream_.writes(), 1u);
  EXPECT_TRUE(received().ends_with(chunk("data: {\"a\":1}\n\n" + cut) + "0\r\n\r\n"));
}

// The server sends its next piece when the client has the last one.
net::Task<void> send_in_turns(net::Socket* server, net::Socket* client,
                              std::vector<std::string> pieces) {
  std::array<char, 4096> got;
  for (const std::string& piece : pieces) {
    net::asio::write(*server, net::asio::buffer(piece));
    const net::asio::mutable_buffer into = net::asio::buffer(got);
    co_await client->async_read_some(into, net::use_tuple);
  }
}

TEST_F(ResponseRelayTest, EachLaterReadIsOneWrite) {
  const std::vector<std::string> pieces{std::string(kStreamHead) + chunk("data: 1\n\n"),
                                        chunk("data: 2\n\n") + chunk("data: 3\n\n"),
                                        chunk("data: 4\n\n") + "0\r\n\r\n"};
  net::asio::co_spawn(io_, send_in_turns(&server_, &client_, pieces),
                      [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
  EXPECT_EQ(relay().end, RelayEnd::kWhole);
  EXPECT_EQ(upstream_->stream().reads(), 3u);
  EXPECT_EQ(stream_.writes(), 3u);
}

net::Task<void> close_after_a_keep_alive(net::Socket* server, net::Socket* client) {
  std::array<char, 4096> got;
  const net::asio::mutable_buffer into = net::asio::buffer(got);
  co_await client->async_read_some(into, net::use_tuple);
  server->close();
}

TEST_F(ResponseRelayTest, AKeepAliveLeavesWithTheHeadAndALateErrorWithTheEnd) {
  options_.keep_alive_after = std::chrono::milliseconds(1);
  net::asio::co_spawn(io_, close_after_a_keep_alive(&server_, &client_),
                      [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
  const RelayResult result = relay();
  EXPECT_EQ(result.end, RelayEnd::kBroken);
  ASSERT_GE(result.keep_alives, 1u);
  EXPECT_EQ(stream_.writes(), result.keep_alives + 1u);
}

}  // namespace
}  // namespace berth::gateway
