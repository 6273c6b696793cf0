// The server and the client against each other on loopback.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "http/client.h"
#include "http/exchange.h"
#include "http/server.h"
#include "net/run_task.h"

namespace berth::http {
namespace {

net::Task<void> echo(Request& request, Responder& responder) {
  std::string body = std::string(request.head->method) + " " + std::string(request.head->target) +
                     " " + request.body;
  Responder::ExtraHeaders extra = {{"X-Seen", std::string(request.head->headers.get("x-test"))}};
  co_await responder.reply(200, "text/plain", std::move(body), std::move(extra));
}

net::Task<void> count_to_three(Request&, Responder& responder) {
  co_await responder.start(200, "text/event-stream");
  for (int i = 1; i <= 3; ++i) {
    std::string event = "data: " + std::to_string(i) + "\n\n";
    co_await responder.write(std::move(event));
  }
  co_await responder.finish();
}

net::Task<void> never_answer(Request&, Responder&) { co_return; }
net::Task<void> throw_up(Request&, Responder&) {
  throw std::runtime_error("secret");
  co_return;
}
net::Task<void> break_off(Request&, Responder& responder) {
  co_await responder.start(200, "text/plain");
  co_await responder.write("half");
  responder.abort();
}

class ServerClientTest : public ::testing::Test {
 protected:
  void serve(Handler handler) {
    auto server = Server::listen(io_, "127.0.0.1", 0, ReaderLimits{}, std::move(handler));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    url_.host = "127.0.0.1";
    url_.port = server_->port();
  }
  Result<ClientResponse> fetch_now(ClientRequest request) {
    return net::run_task(io_, fetch(url_, std::move(request), nullptr));
  }

  net::asio::io_context io_{1};
  std::unique_ptr<Server> server_;
  Url url_;
};

TEST_F(ServerClientTest, CarriesARequestAndItsResponse) {
  serve(echo);
  ClientRequest request;
  request.method = "POST";
  request.path = "/a/b?c=d";
  request.body = std::string(300'000, 'x');
  request.headers = {{"X-Test", "yes"}};
  auto response = fetch_now(std::move(request));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "POST /a/b?c=d " + std::string(300'000, 'x'));
  EXPECT_EQ(response->header("x-seen"), "yes");
  EXPECT_EQ(response->header("content-type"), "text/plain");
}

TEST_F(ServerClientTest, PutsTheUrlsPrefixBeforeThePath) {
  serve(echo);
  url_.prefix = "/base";
  auto response = fetch_now({.path = "/x"});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "GET /base/x ");
}

TEST_F(ServerClientTest, DecodesAnEventStream) {
  serve(count_to_three);
  auto response = fetch_now({.path = "/"});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "data: 1\n\ndata: 2\n\ndata: 3\n\n");
}

TEST_F(ServerClientTest, SendsNoBodyForHead) {
  serve(echo);
  auto response = fetch_now({.method = "HEAD", .path = "/"});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->header("content-length"), "7");
  EXPECT_EQ(response->body, "");
}

TEST_F(ServerClientTest, AnswersForAHandlerThatDoesNot) {
  serve(never_answer);
  auto response = fetch_now({.path = "/"});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 500);
}

TEST_F(ServerClientTest, AnswersForAHandlerThatThrows) {
  serve(throw_up);
  auto response = fetch_now({.path = "/"});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 500);
  EXPECT_EQ(response->body.find("secret"), std::string::npos);
}

TEST_F(ServerClientTest, ReportsAResponseThatBreaksOff) {
  serve(break_off);
  auto response = fetch_now({.path = "/"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUpstreamReset);
}

TEST_F(ServerClientTest, BoundsTheBody) {
  serve(echo);
  ClientRequest request{.method = "POST", .path = "/", .body = std::string(1000, 'x')};
  request.max_body = 1000;
  auto response = fetch_now(std::move(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUpstreamBadResponse);
}

TEST_F(ServerClientTest, ReportsARefusedConnection) {
  serve(echo);
  server_->stop();
  auto response = fetch_now({.path = "/"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kConnectFailed);
  EXPECT_NE(response.error().message.find(url_.authority()), std::string::npos);
}

}  // namespace
}  // namespace berth::http
