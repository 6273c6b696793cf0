// TLS on both sides: a listener with a certificate, and https servers verified by default.
#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <filesystem>
#include <thread>

#include "http/client.h"
#include "http/server.h"
#include "net/test_certificate.h"
#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using ::testing::HasSubstr;

// One request over TLS to 127.0.0.1.
Result<http::ClientResponse> ask_over_tls(std::uint16_t port, const std::string& ca_file) {
  net::asio::io_context io{1};
  auto tls = net::make_client_context({true, ca_file});
  http::Url url{true, "127.0.0.1", port, ""};
  http::ClientRequest request;
  request.method = "POST";
  request.path = "/v1/messages";
  request.headers = {{"content-type", "application/json"}, {"x-claude-code-session-id", "s1"}};
  request.body = messages_body("hi", false);
  auto answer =
      net::asio::co_spawn(io, http::fetch(url, request, tls->get()), net::asio::use_future);
  io.run();
  return answer.get();
}

net::Task<void> answer_fleet(http::Request* request, http::Responder* responder) {
  std::string body = "{}";
  if (request->head->path() == "/v1/models") {
    body = R"({"object":"list","data":[{"id":"m","object":"model","max_model_len":32768}]})";
  } else if (request->head->path() == "/metrics") {
    body = "vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 0\n";
  }
  http::Responder::ExtraHeaders none;
  co_await responder->reply(200, "application/json", std::move(body), std::move(none));
}

// A server that speaks TLS, on its own thread.
class TlsServer {
 public:
  explicit TlsServer(const net::TestCertificate& certificate) {
    http::ServerOptions options;
    options.tls = *net::make_server_context(certificate.certificate_file(), certificate.key_file());
    server_ = std::move(*http::Server::listen(
        io_, "127.0.0.1", 0, options, [](http::Request& request, http::Responder& responder) {
          return answer_fleet(&request, &responder);
        }));
    thread_ = std::thread([this] { io_.run(); });
  }
  ~TlsServer() {
    io_.stop();
    thread_.join();
  }
  std::string url() const { return "https://127.0.0.1:" + std::to_string(server_->port()); }

 private:
  net::asio::io_context io_{1};
  std::unique_ptr<http::Server> server_;
  std::thread thread_;
};

TEST(Tls, TheListenerServesWithItsCertificateAndAReloadTakesANewOne) {
  const net::TestCertificate first("IP:127.0.0.1");
  const net::TestCertificate second("IP:127.0.0.1");
  ScriptedServer server(answer_messages);
  config::Config config = RunningGateway::defaults();
  config.tls_certificate_file = first.certificate_file();
  config.tls_key_file = first.key_file();
  config::Server upstream;
  upstream.url = server.url();
  config.servers.push_back(upstream);
  RunningGateway gateway({server.url()}, 1, config);
  const auto answer = ask_over_tls(gateway.port(), first.certificate_file());
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->status, 200);

  config.tls_certificate_file = second.certificate_file();
  config.tls_key_file = second.key_file();
  gateway.on_control_thread([&] { EXPECT_TRUE(gateway->reload(config).has_value()); });
  EXPECT_FALSE(ask_over_tls(gateway.port(), first.certificate_file()).has_value());
  EXPECT_TRUE(ask_over_tls(gateway.port(), second.certificate_file()).has_value());

  config.tls_certificate_file = "/nowhere/certificate.pem";
  gateway.on_control_thread([&] {
    const Result<void> refused = gateway->reload(config);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().message, HasSubstr("/nowhere/certificate.pem"));
  });
  EXPECT_TRUE(ask_over_tls(gateway.port(), second.certificate_file()).has_value());
}

TEST(Tls, AnHttpsServerIsUsedWhenItsAuthorityIsKnown) {
  const net::TestCertificate certificate("IP:127.0.0.1");
  TlsServer server(certificate);
  config::Config config = RunningGateway::defaults();
  config::Server upstream;
  upstream.url = server.url();
  upstream.tls_ca_file = certificate.certificate_file();
  config.servers.push_back(upstream);
  RunningGateway gateway({server.url()}, 1, config);
  RawClient client(gateway.port());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", false), claude("s")).status(), 200);
  }
}

TEST(Tls, AnHttpsServerThatCannotBeVerifiedIsNotUsedAndTheStatusSaysWhy) {
  const net::TestCertificate certificate("IP:127.0.0.1");
  TlsServer server(certificate);
  RunningGateway gateway({server.url()}, 0);
  EXPECT_TRUE(eventually([&] { return gateway->status().servers.at(0).health == "down"; }));
  EXPECT_THAT(gateway->status().servers.at(0).why, HasSubstr("certificate"));
  RawClient client(gateway.port());
  EXPECT_EQ(client.ask("/v1/messages", messages_body("hi", false), claude("s")).status(), 503);
}

}  // namespace
}  // namespace berth::scenario
