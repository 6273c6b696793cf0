#include "gateway/client_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "net/loopback_pair.h"
#include "net/spawn.h"

namespace berth::gateway {
namespace {

using std::chrono::milliseconds;

// A response far larger than the socket's buffers, to a client that reads so much at a time.
class SlowClient : public ::testing::Test {
 protected:
  static constexpr Duration kWriteTimeout = milliseconds(1000);
  static constexpr std::size_t kBytes = 4 * 1024 * 1024;

  bool written(std::size_t bytes_a_read) {
    auto [near, far] = net::loopback_pair(io_);
    const net::asio::socket_base::receive_buffer_size small(64 * 1024);
    far.set_option(small);
    near.set_option(net::asio::socket_base::send_buffer_size(64 * 1024));
    net::Stream stream(std::move(near));
    const http::RequestHead request = [] {
      http::RequestHead head;
      head.method = "POST";
      return head;
    }();
    ClientWriter writer(stream, request, clock_, kWriteTimeout);
    std::optional<bool> done;
    net::spawn(io_.get_executor(), "write", write(&writer, &done));
    net::spawn(io_.get_executor(), "read", read(&far, bytes_a_read, &done));
    io_.run();
    return done.value_or(false);
  }

 private:
  static net::Task<void> write(ClientWriter* writer, std::optional<bool>* done) {
    std::string body(kBytes, 'x');
    ExtraHeaders none;
    const bool whole = co_await writer->reply(200, "text/plain", std::move(body), std::move(none));
    *done = whole;
  }

  // Some every 50 ms, until the write has ended.
  static net::Task<void> read(net::Socket* socket, std::size_t bytes, std::optional<bool>* done) {
    net::Timer pause(socket->get_executor());
    std::string buffer(std::max<std::size_t>(bytes, 1), ' ');
    while (!*done) {
      pause.expires_after(milliseconds(50));
      co_await pause.async_wait(net::use_tuple);
      if (bytes == 0) continue;
      const auto into = net::asio::buffer(buffer);
      const auto [error, count] = co_await socket->async_read_some(into, net::use_tuple);
      if (error) co_return;
    }
  }

  net::asio::io_context io_{1};
  SteadyClock clock_;
};

TEST_F(SlowClient, LivesAsLongAsItTakesSomething) {
  EXPECT_TRUE(written(64 * 1024)) << "64 reads of 50 ms are three times the timeout";
}

TEST_F(SlowClient, IsClosedWhenItTakesNothing) { EXPECT_FALSE(written(0)); }

}  // namespace
}  // namespace berth::gateway
