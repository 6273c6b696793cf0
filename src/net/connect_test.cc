#include "net/connect.h"

#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include <optional>
#include <vector>

#include "net/abort.h"
#include "net/connect_first.h"
#include "net/listener.h"
#include "net/resolve.h"
#include "net/run_task.h"

namespace berth::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ConnectTest : public ::testing::Test {
 protected:
  Result<Stream> connect_now(std::string host, std::uint16_t port, Duration timeout = seconds(30)) {
    ConnectTarget target;
    target.host = std::move(host);
    target.port = port;
    return run_task(io_, connect(std::move(target), timeout));
  }
  Listener bound(ListenOptions options = {}) {
    return std::move(Listener::bind(io_, "127.0.0.1", 0, options).value());
  }
  // A listener of no backlog answers no SYN any more while these live.
  std::vector<Socket> fill(const Listener& listener) {
    std::vector<Socket> filling;
    for (int i = 0; i < 8; ++i) {
      filling.emplace_back(io_.get_executor());
      filling.back().async_connect(listener.endpoint(), [](error_code) {});
    }
    return filling;
  }
  // Begins to connect, runs what can run, aborts, and returns what came of it.
  ErrorCode connect_and_abort(ConnectTarget target) {
    Abort abort;
    std::optional<Result<Stream>> result;
    bool ended = false;
    asio::co_spawn(io_, store_result(connect(std::move(target), seconds(300), &abort), &result),
                   [&ended](std::exception_ptr) { ended = true; });
    io_.poll();
    EXPECT_FALSE(ended);
    abort.abort();
    while (!ended) io_.run_one();
    return result->has_value() ? ErrorCode::kInternal : result->error().code;
  }

  asio::io_context io_{1};
};

TEST_F(ConnectTest, OpensAPlainConnection) {
  const auto listener = bound();
  auto stream = connect_now("127.0.0.1", listener.port());
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_FALSE(stream->is_tls());
  tcp::no_delay no_delay;
  stream->socket().get_option(no_delay);
  EXPECT_TRUE(no_delay.value());
}

TEST_F(ConnectTest, AServerWhoseMachineVanishedIsLostAfterAMinute) {
  const auto listener = bound();
  auto stream = connect_now("127.0.0.1", listener.port());
  ASSERT_TRUE(stream) << stream.error().message;
  const auto option = [&](int name) {
    int value = 0;
    socklen_t size = sizeof value;
    getsockopt(stream->socket().native_handle(), IPPROTO_TCP, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(TCP_USER_TIMEOUT), 60'000);
  EXPECT_LT(option(TCP_KEEPIDLE), 60);
}

TEST_F(ConnectTest, ResolvesNames) {
  const auto listener = bound();
  auto stream = connect_now("localhost", listener.port());
  ASSERT_TRUE(stream) << stream.error().message;
}

TEST_F(ConnectTest, NamesTheAddressThatRefuses) {
  auto listener = bound();
  const auto port = listener.port();
  listener.stop();
  const auto stream = connect_now("127.0.0.1", port);
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::kConnectFailed);
  EXPECT_NE(stream.error().message.find("127.0.0.1:" + std::to_string(port)), std::string::npos);
}

TEST_F(ConnectTest, NamesTheHostThatDoesNotResolve) {
  const auto stream = connect_now("no such host", 80);
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::kConnectFailed);
  EXPECT_NE(stream.error().message.find("no such host:80: the host name does not resolve"),
            std::string::npos)
      << stream.error().message;
}

// A server must not be thought dead because this process has no descriptor left.
TEST_F(ConnectTest, WantOfDescriptorsIsNoFaultOfTheServer) {
  const auto listener = bound();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto stream = connect_now("127.0.0.1", listener.port());
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::kOverloaded);  // 503, and try again
}

TEST_F(ConnectTest, GivesUpAtTheTimeout) {
  const auto listener = bound({.backlog = 0});
  const auto filling = fill(listener);
  const auto stream = connect_now("127.0.0.1", listener.port(), milliseconds(50));
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::kConnectTimeout) << stream.error().message;
  EXPECT_NE(stream.error().message.find("0.05 s"), std::string::npos) << stream.error().message;
}

TEST_F(ConnectTest, AnAddressThatNeverAnswersLeavesTimeForTheNext) {
  const auto deaf = bound({.backlog = 0});
  const auto filling = fill(deaf);
  const auto listener = bound();
  const auto deadline = std::chrono::steady_clock::now() + seconds(1);
  std::vector<tcp::endpoint> both{deaf.endpoint(), listener.endpoint()};
  const auto connected = run_task(io_, connect_first(std::move(both), deadline));
  EXPECT_FALSE(connected.error) << connected.error.message();
  ASSERT_TRUE(connected.socket);
  EXPECT_EQ(connected.socket->remote_endpoint(), listener.endpoint());
}

TEST_F(ConnectTest, AnAbortEndsTheTcpConnectionUnderWay) {
  const auto listener = bound({.backlog = 0});
  const auto filling = fill(listener);
  EXPECT_EQ(connect_and_abort({"127.0.0.1", listener.port()}), ErrorCode::kClientGone);
}

TEST_F(ConnectTest, AnAbortEndsTheTlsHandshakeUnderWay) {
  const auto silent = bound();  // accepts, and says nothing
  asio::ssl::context tls(asio::ssl::context::tls_client);
  EXPECT_EQ(connect_and_abort({"127.0.0.1", silent.port(), &tls}), ErrorCode::kClientGone);
}

TEST_F(ConnectTest, WhatIsAbortedBeforeItBeginsDoesNotBegin) {
  const auto listener = bound();
  Abort abort;
  abort.abort();
  ConnectTarget target;
  target.host = "127.0.0.1";
  target.port = listener.port();
  const auto stream = run_task(io_, connect(std::move(target), seconds(30), &abort));
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::kClientGone);
}

TEST_F(ConnectTest, ALiteralNeedsNoLookUp) {
  const auto past = std::chrono::steady_clock::now() - seconds(1);
  const auto resolved = run_task(io_, resolve("::1", 80, past));
  ASSERT_FALSE(resolved.error);
  ASSERT_EQ(resolved.endpoints.size(), 1u);
  EXPECT_EQ(resolved.endpoints[0].port(), 80);
}

}  // namespace
}  // namespace berth::net
