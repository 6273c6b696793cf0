#include "net/listener.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include "net/run_task.h"

namespace berth::net {
namespace {

class ListenerTest : public ::testing::Test {
 protected:
  void run_until(const bool& condition) {
    io_.restart();
    while (!condition) ASSERT_GT(io_.run_one(), 0u) << "nothing left to run";
  }
  Listener bound(std::uint16_t port = 0, ListenOptions options = {}) {
    auto listener = Listener::bind(io_, "127.0.0.1", port, options);
    if (!listener) throw std::runtime_error(listener.error().message);
    return std::move(*listener);
  }
  asio::io_context io_{1};
};

TEST_F(ListenerTest, HandsTunedSocketsOverUntilItIsStopped) {
  auto listener = bound();
  ASSERT_NE(listener.port(), 0);
  std::vector<Socket> accepted;
  std::vector<tcp::endpoint> peers;
  bool enough = false;
  bool ended = false;
  asio::co_spawn(io_, listener.run([&](Socket socket, tcp::endpoint peer) {
    accepted.push_back(std::move(socket));
    peers.push_back(peer);
    enough = accepted.size() == 2;
  }),
                 [&ended](std::exception_ptr) { ended = true; });
  Socket one(io_.get_executor());
  Socket two(io_.get_executor());
  one.connect(listener.endpoint());
  two.connect(listener.endpoint());
  run_until(enough);
  EXPECT_EQ(peers[0], one.local_endpoint());
  EXPECT_EQ(peers[1], two.local_endpoint());
  tcp::no_delay no_delay;
  accepted[0].get_option(no_delay);
  EXPECT_TRUE(no_delay.value());
  listener.stop();
  run_until(ended);
  error_code refused;
  Socket late(io_.get_executor());
  late.connect({asio::ip::address_v4::loopback(), one.remote_endpoint().port()}, refused);
  EXPECT_EQ(refused, asio::error::connection_refused);
}

TEST_F(ListenerTest, AcceptsAgainAfterAWantOfDescriptors) {
  auto listener = bound();
  std::vector<Socket> accepted;
  bool some = false;
  asio::co_spawn(io_, listener.run([&](Socket socket, tcp::endpoint) {
    accepted.push_back(std::move(socket));
    some = true;
  }),
                 [](std::exception_ptr) {});
  Socket client(io_.get_executor());
  client.connect(listener.endpoint());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  io_.restart();
  io_.poll();
  EXPECT_FALSE(some);
  setrlimit(RLIMIT_NOFILE, &before);
  run_until(some);
}

TEST_F(ListenerTest, NamesTheAddressThatIsInUse) {
  const auto first = bound();
  const auto second = Listener::bind(io_, "127.0.0.1", first.port());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kIo);
  const auto where = "127.0.0.1:" + std::to_string(first.port());
  EXPECT_NE(second.error().message.find("cannot listen on " + where), std::string::npos)
      << second.error().message;
  EXPECT_NE(second.error().message.find("another process listens there"), std::string::npos);
}

TEST_F(ListenerTest, SeveralMayShareAPort) {
  const auto first = bound(0, {.reuse_port = true});
  EXPECT_TRUE(Listener::bind(io_, "127.0.0.1", first.port(), {.reuse_port = true}));
}

TEST_F(ListenerTest, APortThatIsSharedIsNotFreeAndLookingTakesNothing) {
  std::uint16_t port = 0;
  {
    const auto first = bound(0, {.reuse_port = true});
    port = first.port();
    const auto free = Listener::check_free(io_, "127.0.0.1", port);
    ASSERT_FALSE(free);
    EXPECT_NE(free.error().message.find("another process listens there"), std::string::npos);
  }
  EXPECT_TRUE(Listener::check_free(io_, "127.0.0.1", port));
  EXPECT_TRUE(Listener::bind(io_, "127.0.0.1", port));
}

TEST_F(ListenerTest, NamesAnAddressThisMachineDoesNotHave) {
  const auto listener = Listener::bind(io_, "192.0.2.1", 0);  // TEST-NET-1
  ASSERT_FALSE(listener);
  EXPECT_NE(listener.error().message.find("192.0.2.1:0"), std::string::npos);
  EXPECT_NE(listener.error().message.find("no interface"), std::string::npos);
}

TEST_F(ListenerTest, TakesNamesAndIpv6) {
  EXPECT_TRUE(Listener::bind(io_, "localhost", 0));
  const auto v6 = Listener::bind(io_, "::1", 0);
  if (!v6) GTEST_SKIP() << "no IPv6 on this machine: " << v6.error().message;
  EXPECT_TRUE(v6->endpoint().address().is_v6());
}

TEST_F(ListenerTest, NamesAHostThatDoesNotResolve) {
  const auto listener = Listener::bind(io_, "no such host", 80);
  ASSERT_FALSE(listener);
  EXPECT_NE(listener.error().message.find("no such host:80: the host name does not resolve"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::net
