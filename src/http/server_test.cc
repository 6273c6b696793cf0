// What the server does with clients that are slow, hostile or gone.
#include "http/server.h"

#include <gtest/gtest.h>

#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <optional>

#include "http/client.h"
#include "http/exchange.h"
#include "net/run_task.h"
#include "net/test_certificate.h"
#include "net/tls.h"

namespace berth::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

net::Task<void> echo(Request& request, Responder& responder) {
  std::string body = request.body;
  co_await responder.reply(200, "text/plain", std::move(body));
}

net::Task<void> two_chunks(Request&, Responder& responder) {
  co_await responder.start(200, "text/event-stream");
  co_await responder.write("one");
  co_await responder.write("");
  co_await responder.write("two");
  co_await responder.finish();
}

// Streams until the client leaves, and reports how it learned of it.
struct Leaving {
  bool started = false;
  bool told = false;           // by on_gone
  bool write_refused = false;  // by write() returning false
};
net::Task<void> stream_until_gone(Leaving* leaving, Responder* responder) {
  responder->on_gone([leaving] { leaving->told = true; });
  co_await responder->start(200, "text/event-stream");
  leaving->started = true;
  net::Timer timer(co_await net::asio::this_coro::executor);
  while (!leaving->told) {
    timer.expires_after(milliseconds(0));
    co_await timer.async_wait(net::use_tuple);
  }
  leaving->write_refused = !co_await responder->write("x");
}

class ServerTest : public ::testing::Test {
 protected:
  void serve(Handler handler, ServerOptions options = {}) {
    auto server = Server::listen(io_, "127.0.0.1", 0, std::move(options), std::move(handler));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }
  net::Socket connect() {
    net::Socket socket(io_.get_executor());
    socket.connect({net::asio::ip::address_v4::loopback(), server_->port()});
    return socket;
  }
  void send(net::Socket& socket, std::string_view bytes) {
    net::asio::write(socket, net::asio::buffer(bytes));
  }
  void run_until(const bool& condition) {
    io_.restart();
    while (!condition) ASSERT_GT(io_.run_one(), 0u);
  }
  // All that comes until the server closes.
  std::string read_all(net::Socket& socket) {
    std::string bytes;
    bool done = false;
    net::asio::async_read(socket, net::asio::dynamic_buffer(bytes),
                          [&](net::error_code, std::size_t) { done = true; });
    run_until(done);
    return bytes;
  }
  std::string read_until(net::Socket& socket, std::string_view mark) {
    std::string bytes;
    bool done = false;
    net::asio::async_read_until(socket, net::asio::dynamic_buffer(bytes), mark,
                                [&](net::error_code, std::size_t) { done = true; });
    run_until(done);
    return bytes;
  }

  net::asio::io_context io_{1};
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, KeepsAConnectionAndServesPipelinedRequests) {
  serve(echo);
  auto client = connect();
  send(client,
       "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none"
       "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n"
       "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nthree");
  const auto answers = read_all(client);
  const auto one = answers.find("\r\n\r\none");
  const auto two = answers.find("\r\n\r\ntwo");
  const auto three = answers.find("\r\n\r\nthree");
  EXPECT_TRUE(one < two && two < three && three != std::string::npos) << answers;
  EXPECT_EQ(answers.find("Connection: close"), answers.rfind("Connection: close"));
}

TEST_F(ServerTest, ChunksAStreamAndSkipsEmptyWrites) {
  serve(two_chunks);
  auto client = connect();
  send(client, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const auto answer = read_all(client);
  EXPECT_NE(answer.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4), "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
}

TEST_F(ServerTest, StreamsToAnHttp10ClientUntilClose) {
  serve(two_chunks);
  auto client = connect();
  send(client, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto answer = read_all(client);
  EXPECT_EQ(answer.find("Transfer-Encoding"), std::string::npos);
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4), "onetwo");
}

TEST_F(ServerTest, SendsNoBodyOfAStreamForHead) {
  serve(two_chunks);
  auto client = connect();
  send(client,
       "HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const auto answer = read_all(client);
  EXPECT_EQ(answer.find("one"), std::string::npos);
  EXPECT_NE(answer.find("HTTP/1.1 200", 10), std::string::npos) << "the second answer is missing";
}

TEST_F(ServerTest, TellsAHandlerThatItsClientLeft) {
  Leaving leaving;
  serve([&](Request&, Responder& responder) { return stream_until_gone(&leaving, &responder); });
  {
    auto client = connect();
    send(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    run_until(leaving.started);
  }
  run_until(leaving.told);
  io_.restart();
  while (server_->connections() > 0) io_.run_one();
  EXPECT_TRUE(leaving.write_refused);
}

TEST_F(ServerTest, ForgetsAClientThatLeavesWithinItsRequest) {
  serve(echo);
  {
    auto client = connect();
    send(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
    io_.restart();
    while (server_->connections() == 0) io_.run_one();
  }
  while (server_->connections() > 0) io_.run_one();
}

TEST_F(ServerTest, AnswersASlowHeadWith408) {
  ServerOptions options;
  options.limits.head = milliseconds(20);
  serve(echo, options);
  auto client = connect();
  send(client, "GET / HTTP/1.1\r\nHost:");
  const auto answer = read_all(client);
  EXPECT_EQ(answer.substr(0, 13), "HTTP/1.1 408 ");
  EXPECT_NE(answer.find("request_timeout"), std::string::npos);
}

TEST_F(ServerTest, AnswersABodyOverTheLimitBeforeReadingIt) {
  ServerOptions options;
  options.limits.body_bytes = 10;
  serve(echo, options);
  auto client = connect();
  send(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n");
  const auto answer = read_until(client, "}\n");
  EXPECT_EQ(answer.substr(0, 13), "HTTP/1.1 413 ");
  EXPECT_NE(answer.find("body_too_large"), std::string::npos);
}

TEST_F(ServerTest, AnswersAHeadOverTheLimitWith431) {
  ServerOptions options;
  options.limits.head_bytes = 1000;
  serve(echo, options);
  auto client = connect();
  send(client, "GET /" + std::string(2000, 'x'));
  EXPECT_EQ(read_until(client, "}\n").substr(0, 13), "HTTP/1.1 431 ");
}

TEST_F(ServerTest, AnAnsweredRefusalHidesWhatFollows) {
  serve(echo);
  auto client = connect();
  send(client,
       "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"
       "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto first = read_until(client, "}\n");
  EXPECT_EQ(first.substr(0, 13), "HTTP/1.1 400 ");
  EXPECT_EQ(read_all(client), "");
}

TEST_F(ServerTest, ClosesConnectionsBeyondItsLimit) {
  ServerOptions options;
  options.max_connections = 1;
  serve(echo, options);
  auto first = connect();
  io_.restart();
  while (server_->connections() == 0) io_.run_one();
  auto second = connect();
  EXPECT_EQ(read_all(second), "");
  EXPECT_EQ(server_->connections(), 1u);
}

TEST_F(ServerTest, StopClosesEverything) {
  Leaving leaving;
  serve([&](Request&, Responder& responder) { return stream_until_gone(&leaving, &responder); });
  auto idle = connect();
  auto busy = connect();
  send(busy, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  run_until(leaving.started);
  server_->stop();
  EXPECT_EQ(read_all(idle), "");
  read_all(busy);
  io_.restart();
  while (server_->connections() > 0) io_.run_one();
  EXPECT_TRUE(leaving.write_refused);
}

// Answers once `*release` is set.
net::Task<void> answer_later(bool* waiting, const bool* release, Responder* responder) {
  *waiting = true;
  net::Timer timer(co_await net::asio::this_coro::executor);
  while (!*release) {
    timer.expires_after(milliseconds(0));
    co_await timer.async_wait(net::use_tuple);
  }
  co_await responder->reply(200, "text/plain", "late");
}

TEST_F(ServerTest, DrainLetsAnAnswerComeToItsEnd) {
  bool waiting = false;
  bool release = false;
  serve(
      [&](Request&, Responder& responder) { return answer_later(&waiting, &release, &responder); });
  auto idle = connect();
  auto busy = connect();
  send(busy, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  run_until(waiting);
  server_->drain();
  EXPECT_EQ(read_all(idle), "");
  release = true;
  const auto answer = read_all(busy);
  EXPECT_NE(answer.find("\r\n\r\nlate"), std::string::npos);
}

TEST_F(ServerTest, MayBeDestroyedWhileItServes) {
  Leaving leaving;
  serve([&](Request&, Responder& responder) { return stream_until_gone(&leaving, &responder); });
  auto client = connect();
  send(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  run_until(leaving.started);
  server_.reset();
  run_until(leaving.told);
  run_until(leaving.write_refused);
}

TEST_F(ServerTest, SpeaksTls) {
  const net::TestCertificate certificate("DNS:localhost");
  ServerOptions options;
  options.tls =
      net::make_server_context(certificate.certificate_file(), certificate.key_file()).value();
  serve(echo, options);
  const auto client = net::make_client_context({true, certificate.certificate_file()}).value();
  Url url{true, "localhost", server_->port(), ""};
  ClientRequest request{.method = "POST", .path = "/", .body = std::string(200'000, 'x')};
  const auto response = net::run_task(io_, fetch(url, std::move(request), client.get()));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, std::string(200'000, 'x'));
}

TEST_F(ServerTest, ATlsHandshakeThatStallsIsCutOff) {
  const net::TestCertificate certificate("DNS:localhost");
  ServerOptions options;
  options.tls =
      net::make_server_context(certificate.certificate_file(), certificate.key_file()).value();
  options.limits.head = milliseconds(20);
  serve(echo, options);
  auto client = connect();
  EXPECT_EQ(read_all(client), "");
}

TEST_F(ServerTest, ServesManyStreamsAtOnce) {
  constexpr int kClients = 150;
  int waiting = 0;
  bool release = false;
  bool any = false;
  serve([&](Request&, Responder& responder) {
    ++waiting;
    return answer_later(&any, &release, &responder);
  });
  std::vector<net::Socket> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(connect());
    send(clients.back(), "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  }
  io_.restart();
  while (waiting < kClients) io_.run_one();
  EXPECT_EQ(server_->connections(), static_cast<std::size_t>(kClients));
  release = true;
  for (auto& client : clients) EXPECT_NE(read_all(client).find("\r\n\r\nlate"), std::string::npos);
}

// Writes an event whenever the reader has taken the one before.
struct Steps {
  int written = 0;
  int allowed = 1;
};
net::Task<void> step_by_step(Steps* steps, Responder* responder) {
  co_await responder->start(200, "text/event-stream");
  net::Timer timer(co_await net::asio::this_coro::executor);
  while (steps->written < 3) {
    if (steps->written < steps->allowed) {
      std::string event = "event " + std::to_string(++steps->written);
      co_await responder->write(std::move(event));
    }
    timer.expires_after(milliseconds(0));
    co_await timer.async_wait(net::use_tuple);
  }
  co_await responder->finish();
}

TEST_F(ServerTest, AnExchangeHandsOutEventsAsTheyCome) {
  Steps steps;
  serve([&](Request&, Responder& responder) { return step_by_step(&steps, &responder); });
  Url url{false, "127.0.0.1", server_->port(), ""};
  auto exchange = net::run_task(io_, Exchange::begin(url, {.path = "/"}, nullptr));
  ASSERT_TRUE(exchange) << exchange.error().message;
  EXPECT_EQ((*exchange)->head().status, 200);
  std::string piece;
  for (int i = 1; i <= 3; ++i) {
    steps.allowed = i;
    ASSERT_EQ(net::run_task(io_, (*exchange)->read(piece)), true);
    EXPECT_EQ(piece, "event " + std::to_string(i));
  }
  ASSERT_EQ(net::run_task(io_, (*exchange)->read(piece)), false);
}

TEST_F(ServerTest, FetchKeepsItsTimeout) {
  bool waiting = false;
  const bool release = false;
  bool gone = false;
  serve([&](Request&, Responder& responder) {
    responder.on_gone([&gone] { gone = true; });
    return answer_later(&waiting, &release, &responder);
  });
  Url url{false, "127.0.0.1", server_->port(), ""};
  ClientRequest request{.path = "/"};
  request.timeout = milliseconds(50);
  const auto response = net::run_task(io_, fetch(url, std::move(request), nullptr));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUpstreamTimeout) << response.error().message;
  EXPECT_NE(response.error().message.find(url.authority()), std::string::npos);
  run_until(gone);
}

TEST_F(ServerTest, FetchRefusesWhatItCannotSend) {
  serve(echo);
  Url url{false, "127.0.0.1", server_->port(), ""};
  for (const ClientRequest& bad :
       {ClientRequest{.path = "no-slash"}, ClientRequest{.path = "/a b"},
        ClientRequest{.method = "G ET", .path = "/"},
        ClientRequest{.path = "/", .headers = {{"X-A", "b\r\nX-Evil: c"}}}}) {
    const auto response = net::run_task(io_, fetch(url, bad, nullptr));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kConfig);
  }
  url.tls = true;
  EXPECT_EQ(net::run_task(io_, fetch(url, {.path = "/"}, nullptr)).error().code,
            ErrorCode::kConfig);
}

}  // namespace
}  // namespace berth::http
