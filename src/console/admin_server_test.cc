#include "console/admin_server.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <optional>

#include "console/admin_thread.h"
#include "console/bodies.h"
#include "console/fake_source.h"
#include "console/json.h"
#include "http/client.h"

namespace berth::console {
namespace {

using Fetched = std::optional<Result<http::ClientResponse>>;

net::Task<void> fetch_into(http::Url url, http::ClientRequest request, Fetched* out) {
  *out = co_await http::fetch(std::move(url), std::move(request), nullptr);
}

class AdminServerTest : public ::testing::Test {
 protected:
  http::ClientResponse call(http::ClientRequest request) {
    net::asio::io_context io(1);
    Fetched fetched;
    const auto url = http::parse_url(admin_->url());
    net::asio::co_spawn(io.get_executor(), fetch_into(*url, std::move(request), &fetched),
                        net::asio::detached);
    io.run();
    EXPECT_TRUE(fetched && *fetched) << (fetched && !*fetched ? (*fetched).error().message : "");
    return fetched && *fetched ? **fetched : http::ClientResponse{};
  }
  http::ClientResponse call(const std::string& method, const std::string& path,
                            const std::string& body = {}) {
    http::ClientRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    request.headers.emplace_back("Authorization", "Bearer correct-horse-battery");
    return call(std::move(request));
  }

  ManualClock clock_;
  FakeSource source_ = FakeSource::two_ranks(clock_.now());
  std::optional<AdminThread> admin_{std::in_place, source_, clock_, "correct-horse-battery"};
};

TEST_F(AdminServerTest, ServesTheSnapshotWithItsTag) {
  const auto first = call("GET", "/api/snapshot");
  ASSERT_EQ(first.status, 200);
  EXPECT_EQ(Json::parse(first.body)["models"][0]["name"], "org/qwen3-4b");
  EXPECT_EQ(first.header("content-type"), "application/json");
  EXPECT_EQ(first.header("cache-control"), "no-store");
  http::ClientRequest again;
  again.path = "/api/snapshot";
  again.headers.emplace_back("If-None-Match", std::string(first.header("etag")));
  const auto second = call(again);
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.body, "");
}

TEST_F(AdminServerTest, HeadSendsNoBody) {
  const auto answer = call("HEAD", "/api/snapshot");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
}

TEST_F(AdminServerTest, AChangeReachesTheSource) {
  const auto answer =
      call("PUT", "/api/models/org%2Fqwen3-4b/routing", R"({"overflow_threshold":"auto"})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  admin_.reset();  // its thread wrote what is read here
  ASSERT_EQ(source_.changes.size(), 1u);
  EXPECT_TRUE(source_.changes[0].second.overflow_threshold.has_value());
}

TEST_F(AdminServerTest, ABodyOverTheLimitIsRefused) {
  const auto answer = call("POST", "/api/explain", std::string(kMaxBodyBytes + 1, ' '));
  EXPECT_EQ(answer.status, 413);
  EXPECT_NE(answer.body.find("16 KiB"), std::string::npos) << answer.body;
  EXPECT_EQ(answer.body.find("limits."), std::string::npos) << answer.body;
}

TEST_F(AdminServerTest, APortInUseIsAnErrorThatNamesIt) {
  net::asio::io_context io(1);
  AdminOptions options;
  options.port = admin_->port();
  const auto second = AdminServer::start(io, options, source_, clock_);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find(std::to_string(options.port)), std::string::npos)
      << second.error().message;
}

}  // namespace
}  // namespace berth::console
