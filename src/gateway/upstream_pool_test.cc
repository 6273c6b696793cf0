#include "gateway/upstream_pool.h"

#include <gtest/gtest.h>

#include "net/loopback_pair.h"

namespace berth::gateway {
namespace {

constexpr Duration kMaxIdle = std::chrono::seconds(4);

class UpstreamPoolTest : public ::testing::Test {
 protected:
  void put(const std::shared_ptr<UpstreamServer>& server) {
    auto [near, far] = net::loopback_pair(io_);
    far_.push_back(std::move(far));
    auto connection = std::make_shared<UpstreamConnection>(net::Stream(std::move(near)), server);
    pool_.put(std::move(connection), now_);
  }

  net::asio::io_context io_{1};
  std::vector<net::Socket> far_;
  UpstreamPool pool_;
  Instant now_{std::chrono::seconds(100)};
};

TEST_F(UpstreamPoolTest, AServerWithAnotherKeyOrCertificateFindsNoOldConnection) {
  const auto before = std::make_shared<UpstreamServer>();
  const auto after = std::make_shared<UpstreamServer>(*before);
  put(before);
  EXPECT_EQ(pool_.take(*after, kMaxIdle, now_), nullptr);
  EXPECT_NE(pool_.take(*before, kMaxIdle, now_), nullptr);
}

TEST_F(UpstreamPoolTest, NothingIsKeptOfAThousandServersOnceTheirConnectionsAreGone) {
  std::vector<std::weak_ptr<UpstreamServer>> servers;
  for (int i = 0; i < 1000; ++i) {
    const auto server = std::make_shared<UpstreamServer>();
    servers.emplace_back(server);
    put(server);
    far_.clear();
    now_ += std::chrono::seconds(1);
    pool_.expire(kMaxIdle, now_);
    ASSERT_LE(pool_.servers(), 4u);
  }
  now_ += kMaxIdle;
  pool_.expire(kMaxIdle, now_);
  EXPECT_EQ(pool_.servers(), 0u);
  for (const auto& server : servers) EXPECT_TRUE(server.expired());
}

TEST_F(UpstreamPoolTest, KeepsNoMoreOfAServerThanItIsToldTo) {
  pool_.set_most_idle(2);
  const auto server = std::make_shared<UpstreamServer>();
  for (int i = 0; i < 3; ++i) put(server);
  EXPECT_EQ(pool_.idle(), 2u);
}

}  // namespace
}  // namespace berth::gateway
